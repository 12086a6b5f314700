// Text as a file that the browser saves.

export function saveText(name: string, text: string, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser has read it once this turn of the page is over.
  setTimeout(() => URL.revokeObjectURL(address));
}
