// The last requests of all edges and tunnels.
import { PageFrame } from "../resource/PageFrame";
import { RequestsView } from "./RequestsView";

export default function RequestsPage() {
  return (
    <PageFrame
      title="Requests"
      about="The last requests of all edges and tunnels, with the decisions about them. New ones appear automatically."
      wide
    >
      <RequestsView path="/traffic" />
    </PageFrame>
  );
}
