// Forwards the content of visitors' WebSocket messages to the backend as a plain byte stream.
import type { ModuleDescriptor } from "../descriptor";

export const websocketTcpConverter: ModuleDescriptor = {
  name: "websocket_tcp_converter",
  label: "WebSocket to TCP",
  about: "Converts WebSocket connections to plain TCP streams for the backend. Other requests get 400.",
  owners: ["https_route"],
  stage: 110,
  trace: "websocket_tcp_converter",
  without: "WebSockets reach the backend as WebSockets, and ordinary requests are admitted again.",
  fields: [],
  summary: () => "binary messages as a stream",
};

export default [websocketTcpConverter];
