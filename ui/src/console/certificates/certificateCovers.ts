// Whether a certificate name matches a host: exactly, or by a wildcard for one label.
export function certificateCovers(name: string, host: string): boolean {
  const [wanted, own] = [host.toLowerCase(), name.toLowerCase()];
  if (wanted === own) return true;
  return own.startsWith("*.") && wanted.includes(".") && wanted.slice(wanted.indexOf(".")) === own.slice(1);
}
