// Compares versions as semver orders their numbers.

/** Whether a version is older than another. Texts that are no versions are not older than anything. */
export function isOlder(version: string, than: string): boolean {
  const [one, other] = [numbersOf(version), numbersOf(than)];
  if (!one || !other) return false;
  const differing = one.findIndex((number, place) => number !== other[place]);
  return differing !== -1 && (one[differing] ?? 0) < (other[differing] ?? 0);
}

function numbersOf(version: string): readonly number[] | null {
  const found = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version);
  return found ? found.slice(1).map(Number) : null;
}
