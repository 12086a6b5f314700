// The name of a publication as a host name and as the address that visitors open.
import type { ServerFacts } from "../../api/generated";
import { visitAddress } from "../modules/providerValues";

export type HostFacts = Pick<ServerFacts, "domain" | "https_port">;

/** The name with the domain of the server where it is a single word, and the port of HTTPS. */
export function hostportOf(name: string, domain: string): string {
  const [, host = "", port = "443"] = /^(.*?)(?::(\d+))?$/.exec(name.trim().toLowerCase()) ?? [];
  if (host === "") return "";
  return `${host.includes(".") ? host : `${host}.${domain}`}:${port}`;
}

/** The address for visitors; empty without a name. */
export function addressOf(name: string, { domain, https_port }: HostFacts): string {
  const hostport = hostportOf(name, domain);
  return hostport === "" ? "" : (visitAddress([hostport], "/", https_port) ?? "");
}

export function wrongName(text: string): string | null {
  const name = text.trim();
  if (name.includes("://")) return "Enter the name alone: shop, or shop.example.com.";
  const port = /:(.*)$/.exec(name)?.[1];
  if (port !== undefined && !/^\d{1,5}$/.test(port)) return `“${port}” is no port. Leave it out.`;
  return /^(\*\.)?[\p{L}\p{N}_-]+(\.[\p{L}\p{N}_-]+)*\.?$/u.test(name.replace(/:.*$/, ""))
    ? null
    : "A name consists of letters, digits, hyphens and dots, such as shop or shop.example.com.";
}
