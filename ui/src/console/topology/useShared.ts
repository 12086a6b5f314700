// A value made anew by each poll keeps those of its parts that are equal: only what changed is drawn again.
import { replaceEqualDeep } from "@tanstack/react-query";
import { useState } from "react";

export function useShared<T>(value: T): T {
  const [shared, share] = useState(value);
  const [seen, see] = useState(value);
  if (value === seen) return shared;
  const next = replaceEqualDeep(shared, value);
  see(value);
  share(next);
  return next;
}
