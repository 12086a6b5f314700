// Describes the listening ports of this machine: the program, what it probably is, and how to publish it.
import type { ListeningPort } from "../api/types";
import { EMPTY_FORM, type TunnelForm } from "./tunnelForm";

/** `Vite (node)`, `python3`, or a fallback where the system hides the program. */
export function programLabel({ service, process }: ListeningPort): string {
  if (service && process && service.toLowerCase() !== process.toLowerCase()) return `${service} (${process})`;
  return service ?? process ?? "A program of another user";
}

/** The protocol of the port, for display. */
export function protocolLabel({ speaks }: ListeningPort): string {
  switch (speaks) {
    case "http":
      return "HTTP";
    case "https":
      return "HTTPS";
    case "tcp":
      return "TCP";
    default:
      return "Unknown protocol";
  }
}

/** Prefills the tunnel form for this port. */
export function formFor(port: ListeningPort, name: string): TunnelForm {
  return { ...EMPTY_FORM, name, kind: port.proto, addr: port.target };
}

/** A tunnel name derived from the program, such as `vite`. */
export function tunnelNameFor({ service, process }: ListeningPort): string {
  const words = (service ?? process ?? "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
  return words === "" ? "web" : words.slice(0, 30);
}
