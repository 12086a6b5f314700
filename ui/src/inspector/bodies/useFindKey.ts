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
      if (document.querySelector("[role=dialog]")?.contains(input) === false) return;
      event.preventDefault();
      input.focus();
      input.select();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [box]);
}
