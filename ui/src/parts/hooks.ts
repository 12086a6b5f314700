// Small hooks that React lacks: the current time, a stored setting, a media query.
import {
  useCallback,
  useEffect,
  useRef,
  useState,
  type Dispatch,
  type RefObject,
  type SetStateAction,
} from "react";
import { readStored, storeText } from "../model/storage";

/** The current time, updated at an interval; stops while `active` is false. */
export function useNow(intervalMs: number, active = true): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!active) return undefined;
    const timer = setInterval(() => setNow(Date.now()), intervalMs);
    return () => clearInterval(timer);
  }, [intervalMs, active]);
  return now;
}

/** A setting that the browser keeps. Where storage is not allowed, it lasts as long as the window. */
export function useStored<T extends string>(
  key: string,
  fallback: T,
  allowed: readonly T[],
): [T, (value: T) => void] {
  const [value, setValue] = useState<T>(() => {
    const stored = readStored(key);
    return allowed.find((candidate) => candidate === stored) ?? fallback;
  });
  const store = useCallback(
    (next: T) => {
      setValue(next);
      storeText(key, next);
    },
    [key],
  );
  return [value, store];
}

export function useMediaQuery(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const follow = () => setMatches(list.matches);
    follow();
    list.addEventListener("change", follow);
    return () => list.removeEventListener("change", follow);
  }, [query]);
  return matches;
}

/** The width of an element in pixels, rounded down to steps; null until it is known. */
export function useWidth(element: RefObject<HTMLElement | null>, step: number): number | null {
  const [width, setWidth] = useState<number | null>(null);
  useEffect(() => {
    if (element.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) =>
      setWidth(Math.floor((entry?.contentRect.width ?? 0) / step) * step),
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element, step]);
  return width;
}

/** Least time in milliseconds between two changes of the address: browsers limit their rate. */
const ADDRESS_INTERVAL_MS = 300;

/** Sets or, with an empty value, removes a parameter of the address without a new history entry. */
export function setSearchParam(name: string, value: string): void {
  const url = new URL(location.href);
  if ((url.searchParams.get(name) ?? "") === value) return;
  if (value === "") url.searchParams.delete(name);
  else url.searchParams.set(name, value);
  history.replaceState(history.state, "", url);
}

/** State that is also a parameter of the address and therefore survives a reload. */
export function useAddressState(name: string): [string, Dispatch<SetStateAction<string>>] {
  const [value, setValue] = useState(() => new URLSearchParams(location.search).get(name) ?? "");
  const written = useRef(0);
  useEffect(() => {
    const delay = Math.max(0, written.current + ADDRESS_INTERVAL_MS - Date.now());
    const timer = setTimeout(() => {
      written.current = Date.now();
      setSearchParam(name, value);
    }, delay);
    return () => clearTimeout(timer);
  }, [name, value]);
  return [value, setValue];
}

/** A function with a stable identity that runs the latest version; for events only, never while rendering. */
export function useStable<Given extends unknown[], Result>(
  does: (...args: Given) => Result,
): (...args: Given) => Result {
  const latest = useRef(does);
  useEffect(() => {
    latest.current = does;
  });
  return useCallback((...args: Given) => latest.current(...args), []);
}
