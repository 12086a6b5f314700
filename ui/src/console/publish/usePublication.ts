// The publication of this page as React state.
import { useSyncExternalStore } from "react";
import { publication } from "./storage";

export function usePublication() {
  return useSyncExternalStore(publication.listen, () => publication.state);
}
