// Whether a certificate name matches a host: exactly, or by a wildcard for one label.
export function certificateCovers(name: string, host: string): boolean {
  const [hostName, pattern] = [host.toLowerCase(), name.toLowerCase()];
  if (hostName === pattern) return true;
  return (
    pattern.startsWith("*.") &&
    hostName.includes(".") &&
    hostName.slice(hostName.indexOf(".")) === pattern.slice(1)
  );
}
