// The file with the server's authority, as the agent's configuration names it: what a copied command needs in order to
// trust a public address that the server's own authority vouches for.
import { hostAndPort } from "./snippets/source";

const KEY =
  /^[ \t]*(?:root_cas|connect_cas):[ \t]*(?:"((?:[^"\\\n]|\\.)*)"|'((?:[^'\n]|'')*)'|([^\s#"'][^\n]*?))[ \t]*(?:[ \t]#[^\n]*)?$/m;

/** The absolute path; null where the configuration names none, and for the system's store. */
export function rootCasOf(configuration: string): string | null {
  const [, double, single, plain] = KEY.exec(configuration.replaceAll("\r", "")) ?? [];
  const path =
    double?.replaceAll(/\\(["\\/])/g, "$1") ??
    single?.replaceAll("''", "'") ??
    plain?.replace(/[ \t]#.*$/, "").trimEnd();
  return path !== undefined && /^(?:\/|[A-Za-z]:[\\/])/.test(path) ? path : null;
}

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
