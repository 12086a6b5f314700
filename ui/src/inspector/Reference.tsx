// What a record of the server is called here, where only its id is known. The id is the tooltip, and can be copied.
import { IconButton } from "../parts/Button";
import { unnamed } from "../model/ids";
import { useCopy } from "../services";

export function Reference({ id, name }: { id: string; name?: string | undefined }) {
  const copy = useCopy();
  return (
    <>
      <span title={id}>{name || unnamed(id)}</span>{" "}
      <IconButton
        icon="copy"
        label={`Copy the ID of ${name || unnamed(id)}`}
        onClick={() => void copy(id, "The ID")}
      />
    </>
  );
}
