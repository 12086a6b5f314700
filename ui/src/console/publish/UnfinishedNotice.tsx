// Reminds of a publication that stopped midway: its records exist without the whole.
import { counted } from "../../model/format";
import { Button } from "../../parts/Button";
import { Notice } from "../../parts/Notice";
import { useNavigateTo } from "../address";
import { PUBLISH_PATH } from "./publishPath";
import { usePublication } from "./usePublication";

export function UnfinishedNotice() {
  const go = useNavigateTo();
  const { phase, made, uncertain } = usePublication();
  if (phase !== "stopped" || (made.length === 0 && uncertain === null)) return null;
  const [first] = made;
  return (
    <Notice
      tone="warn"
      title={first ? `${first.name} is published only in part` : "A service is published only in part"}
      actions={
        <Button icon="arrow" onClick={() => go(PUBLISH_PATH)}>
          Continue or remove it
        </Button>
      }
    >
      <p>Publishing stopped after {counted(made.length, "record")}.</p>
    </Notice>
  );
}
