// Opens a reading of a content and closes it when another one is needed.
import { useEffect, useState } from "react";
import type { Content } from "./content";
import { ReadingHandle } from "./readingHandle";
import type { ReadingOptions } from "./reading/open";
import type { OpenedReading } from "./worker";

export type ReadingState =
  | { state: "opening" }
  | { state: "open"; handle: ReadingHandle; opened: OpenedReading }
  | { state: "failed"; message: string };

export function useReading(content: Content, options: ReadingOptions): ReadingState {
  const key = JSON.stringify(options);
  const [opening, setOpening] = useState<{ of: Content; key: string; now: ReadingState } | null>(null);
  useEffect(() => {
    let open = true;
    let handle: ReadingHandle | null = null;
    const settle = (now: ReadingState) => open && setOpening({ of: content, key, now });
    content
      .load()
      .then(() => content.worker.call("open", JSON.parse(key) as ReadingOptions))
      .then(
        (opened) => {
          handle = new ReadingHandle(content.worker, opened.reading, opened.count);
          if (open) settle({ state: "open", handle, opened });
          else handle.close();
        },
        (thrown: unknown) => settle({ state: "failed", message: messageOf(thrown) }),
      );
    return () => {
      open = false;
      handle?.close();
    };
  }, [content, key]);
  return opening && opening.of === content && opening.key === key ? opening.now : { state: "opening" };
}

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : "This could not be loaded.";
}
