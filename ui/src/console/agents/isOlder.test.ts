import { expect, test } from "vitest";
import { isOlder } from "./isOlder";

test.each([
  ["0.9.0", "0.10.0", true],
  ["1.2.3", "1.2.4", true],
  ["1.2.3", "1.2.3", false],
  ["2.0.0", "1.9.9", false],
  ["1.2.3-dev", "1.2.3", false],
  ["test", "1.2.3", false],
  ["1.2.3", "", false],
])("%s against %s", (version, than, expected) => {
  expect(isOlder(version, than)).toBe(expected);
});
