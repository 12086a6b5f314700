// Cookies as a visitor sent them (`Cookie`) and as a response set them (`Set-Cookie`, RFC 6265).
import type { Header } from "./httpMessage";

export interface SetCookie extends Header {
  /** `Path=/; Secure`, as it was received. */
  attributes: string;
}

export function sentCookies(headers: readonly Header[]): Header[] {
  return valuesOf(headers, "cookie").flatMap((value) =>
    value
      .split(";")
      .map((part) => part.trim())
      .filter((part) => part !== "")
      .map(pair),
  );
}

export function setCookies(headers: readonly Header[]): SetCookie[] {
  return valuesOf(headers, "set-cookie").map((value) => {
    const end = value.indexOf(";");
    const attributes = end === -1 ? "" : value.slice(end + 1).trim();
    return { ...pair((end === -1 ? value : value.slice(0, end)).trim()), attributes };
  });
}

function valuesOf(headers: readonly Header[], header: string): string[] {
  return headers.filter(({ name }) => name.toLowerCase() === header).map(({ value }) => value);
}

function pair(text: string): Header {
  const equals = text.indexOf("=");
  return equals === -1
    ? { name: "", value: text }
    : { name: text.slice(0, equals).trim(), value: text.slice(equals + 1).trim() };
}
