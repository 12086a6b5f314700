// The name of a backend as a link to its page.
import { useKnown } from "../modules/inputs/ReferenceInput";
import { RefLink } from "../resource/cells";

export function BackendName({ id }: { id: string }) {
  const found = useKnown("backends")?.find((record) => record.id === id);
  if (!found) return <RefLink id={id} />;
  const { kind, name, detail } = found;
  return (
    <>
      {kind} <RefLink id={id}>{name}</RefLink>
      {detail && detail !== name ? ` (${detail})` : ""}
    </>
  );
}
