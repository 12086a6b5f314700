// The page of a TCP edge.
import { tcpEdges } from "../kinds/tcpEdges";
import { ConnectionEdgePage } from "./ConnectionEdgePage";

export default function TcpEdgePage() {
  return <ConnectionEdgePage kind={tcpEdges} />;
}
