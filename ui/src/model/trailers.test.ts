import { expect, it } from "vitest";
import { parseTrailers } from "./trailers";

const of = (end: string) => parseTrailers(new TextEncoder().encode(end));

it.each([
  ["2\r\nab\r\n0\r\nSum: 1\r\nOther:  x \r\n\r\n", ["Sum: 1", "Other: x"]],
  ["0;ext=1\r\nSum: 1\r\n\r\n", ["Sum: 1"]],
  ["2\r\nab\r\n0\r\n\r\n", []],
  ["2\r\nab\r\n", []],
  ["", []],
])("trailers stand behind the last chunk: %j", (end, expected) => {
  expect(of(end).map(({ name, value }) => `${name}: ${value}`)).toEqual(expected);
});
