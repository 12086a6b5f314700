// The page of a TLS edge.
import { tlsEdges } from "../kinds/tlsEdges";
import { ConnectionEdgePage } from "./ConnectionEdgePage";

export default function TlsEdgePage() {
  return <ConnectionEdgePage kind={tlsEdges} />;
}
