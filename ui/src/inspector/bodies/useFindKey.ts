// Ctrl+F, or Cmd+F, goes to the search of the body. Pressed again there, it opens that of the browser.
import { useEffect, type RefObject } from "react";

export function useFindKey(box: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const input = box.current;
      const isFind =
        event.key === "f" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
      // With several bodies on the page, the first one takes the key.
      if (!isFind || event.defaultPrevented || input === null || input === document.activeElement) return;
      const dialog = document.activeElement?.closest("[role=dialog]");
      if (dialog && !dialog.contains(input)) return;
      event.preventDefault();
      input.focus();
      input.select();
    };
    // While it is captured: trees and lists keep letters for themselves.
    document.addEventListener("keydown", onKey, true);
    return () => document.removeEventListener("keydown", onKey, true);
  }, [box]);
}
