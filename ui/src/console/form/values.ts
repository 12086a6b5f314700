// Values of unknown type, narrowed. What does not fit is empty.
import type { Body, Row } from "./field";

export function isRecord(value: unknown): value is Body {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

export function rowsOf(value: unknown): Row[] {
  return Array.isArray(value) ? value.filter(isRow) : [];
}

function isRow(value: unknown): value is Row {
  return isRecord(value) && Object.values(value).every((cell) => typeof cell === "string");
}

/** The id in a reference member; empty where there is none. */
export function idOf(value: unknown): string {
  return isRecord(value) ? textOf(value["id"]) : "";
}

export function idsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(idOf).filter(Boolean) : [];
}

/** The non-empty lines of a text. */
export function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

const encoder = new TextEncoder();

/** Limits of the API count bytes, not characters. */
export function byteLength(text: string): number {
  return encoder.encode(text).length;
}
