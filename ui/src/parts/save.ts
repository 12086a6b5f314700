// Saves text as a file in the browser.

export function saveText(name: string, text: string, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser has read the URL once this task is over.
  setTimeout(() => URL.revokeObjectURL(address));
}
