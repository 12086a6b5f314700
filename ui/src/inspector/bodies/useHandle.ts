// Opens a reading of a content and closes it when another one is needed.
import { useEffect, useState } from "react";
import type { Content } from "./content";
import { Handle } from "./handle";
import type { Wish } from "./reading/open";
import type { Told } from "./worker";

export type Opening =
  { state: "opening" } | { state: "open"; handle: Handle; told: Told } | { state: "failed"; message: string };

export function useHandle(content: Content, wish: Wish): Opening {
  const wanted = JSON.stringify(wish);
  const [opening, setOpening] = useState<{ of: Content; wanted: string; now: Opening } | null>(null);
  useEffect(() => {
    let open = true;
    let handle: Handle | null = null;
    const settle = (now: Opening) => open && setOpening({ of: content, wanted, now });
    content
      .load()
      .then(() => content.desk.call("open", JSON.parse(wanted) as Wish))
      .then(
        (told) => {
          handle = new Handle(content.desk, told.reading, told.count);
          if (open) settle({ state: "open", handle, told });
          else handle.close();
        },
        (thrown: unknown) => settle({ state: "failed", message: messageOf(thrown) }),
      );
    return () => {
      open = false;
      handle?.close();
    };
  }, [content, wanted]);
  return opening && opening.of === content && opening.wanted === wanted ? opening.now : { state: "opening" };
}

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : "This could not be loaded.";
}
