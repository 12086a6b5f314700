// The names and addresses of an edge, validated as far as possible without the server.
import type { ListField } from "../form/field";

export const hostports = (listens: "names" | "addresses"): ListField => ({
  kind: "list",
  name: "hostports",
  label: "Public addresses",
  maxItems: 100,
  check: wrongHostport,
  describe: (server) => {
    const domain = server?.domain ?? "example.com";
    const [first, last] = [server?.first_tcp_port ?? 24_000, server?.last_tcp_port ?? 24_999];
    return listens === "names"
      ? {
          help: `A name and port 443. Names under ${domain} work at once; others need a DNS record that points to this server.`,
          placeholder: `shop.${domain}:443`,
        }
      : { help: `${domain} and a port from ${first} to ${last}.`, placeholder: `${domain}:${first}` };
  },
});

export function wrongHostport(text: string): string | null {
  const [, host, port] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  if (!host || !port) return `“${text}” has no port: write it like ${text.replace(/:.*$/, "")}:443.`;
  if (Number(port) < 1 || Number(port) > 65_535) return `“${text}” has no port from 1 to 65535.`;
  return /[\s/@?#]/.test(host) ? `“${text}” is not a name with a port.` : null;
}
