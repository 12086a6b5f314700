// Addresses of the server itself, for which its own authority vouches.
import { hostAndPort } from "./snippets/source";

/** Whether an address is one of the server's own: HTTPS, at its name or a name below it, and at its port. */
export function isOfServer(url: string, server: string): boolean {
  if (!/^https:/i.test(url)) return false;
  const [name, port] = parts(hostAndPort(url));
  const [serverName, serverPort] = parts(server);
  return port === serverPort && (name === serverName || name.endsWith(`.${serverName}`));
}

function parts(host: string): [string, string] {
  const found = /^(.*?)(?::(\d+))?$/s.exec(host.toLowerCase());
  return [found?.[1] ?? host, found?.[2] ?? "443"];
}
