// Text that the browser keeps for this address.

/** The text kept under a key; null where there is none or storage is not allowed. */
export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(`postern.${key}`);
  } catch {
    return null;
  }
}

/** Keeps a text. False where the browser does not: private windows may refuse storage, and it may be full. */
export function storeText(key: string, text: string): boolean {
  try {
    localStorage.setItem(`postern.${key}`, text);
    return true;
  } catch {
    return false;
  }
}
