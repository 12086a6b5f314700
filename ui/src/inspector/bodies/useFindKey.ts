// Ctrl+F, or Cmd+F, opens the search of the body. Pressed again there, it opens that of the browser.
import { useEffect, type RefObject } from "react";
import { useStable } from "../../parts/hooks";

/** `view` has the attribute `data-find`; `box` is its search field while it is open. */
export function useFindKey(
  view: RefObject<HTMLElement | null>,
  box: RefObject<HTMLInputElement | null>,
  open: () => void,
): void {
  const latest = useStable(open);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isFind =
        event.key === "f" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
      const { activeElement: active } = document;
      if (!isFind || event.defaultPrevented || view.current === null) return;
      if (box.current !== null && box.current === active) return;
      // With several bodies on the page, the one with the focus takes the key, otherwise the first one.
      const focused = active?.closest("[data-find]");
      if (focused && focused !== view.current) return;
      const dialog = active?.closest("[role=dialog]");
      if (dialog && !dialog.contains(view.current)) return;
      event.preventDefault();
      latest();
    };
    // While it is captured: trees and lists keep letters for themselves.
    document.addEventListener("keydown", onKey, true);
    return () => document.removeEventListener("keydown", onKey, true);
  }, [view, box, latest]);
}
