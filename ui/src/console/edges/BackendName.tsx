// The name of a backend as a link to its page.
import { useReferences } from "../form/references";
import { BACKENDS } from "../kinds/references";
import { RefLink } from "../resource/cells";
import { capital } from "../resource/CreatePage";

export function BackendName({ id }: { id: string }) {
  const found = useReferences(BACKENDS).candidates.find((record) => record.id === id);
  if (!found) return <RefLink id={id} />;
  const { kind, title, detail } = found;
  return (
    <>
      {capital(kind.singular)} <RefLink id={id}>{title}</RefLink>
      {detail && ` (${detail})`}
    </>
  );
}
