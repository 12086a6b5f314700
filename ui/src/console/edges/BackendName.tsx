// The name of a backend as a link to its page.
import { useReferenceOptions } from "../modules/inputs/ReferenceInput";
import { RefLink } from "../resource/cells";

export function BackendName({ id }: { id: string }) {
  const found = useReferenceOptions("backends")?.find((record) => record.id === id);
  if (!found) return <RefLink id={id} />;
  const { kind, name, detail } = found;
  return (
    <>
      {kind} <RefLink id={id}>{name}</RefLink>
      {detail && detail !== name ? ` (${detail})` : ""}
    </>
  );
}
