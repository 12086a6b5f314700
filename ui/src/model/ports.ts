// What listens on this machine, in words: which program, what it probably is, and what to publish.
import type { ListeningPort } from "../api/types";
import { EMPTY_FORM, type TunnelForm } from "./tunnelForm";

/** `Vite (node)`, `python3`, or what can be said where the system hides the program. */
export function programOf({ service, process }: ListeningPort): string {
  if (service && process && service.toLowerCase() !== process.toLowerCase()) return `${service} (${process})`;
  return service ?? process ?? "A program of another user";
}

/** What it speaks, for people. */
export function speaksOf({ speaks }: ListeningPort): string {
  switch (speaks) {
    case "http":
      return "HTTP";
    case "https":
      return "HTTPS";
    case "tcp":
      return "TCP";
    default:
      return "Not asked yet";
  }
}

/** The tunnel that fits, as the form would have it. */
export function formFor(port: ListeningPort, name: string): TunnelForm {
  return { ...EMPTY_FORM, name, kind: port.proto, addr: port.target };
}

/** A name after the program, such as `vite`, for tunnels to be told apart. */
export function nameFor({ service, process }: ListeningPort): string {
  const words = (service ?? process ?? "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
  return words === "" ? "web" : words.slice(0, 30);
}
