// The traffic of the last minute, in words.
import { expect, it } from "vitest";
import { lastMinuteText, inUseWarning } from "./lastMinute";

it("counts what happened and leaves out what did not", () => {
  expect(lastMinuteText({ requests: 12, refused: 3, failed: 1 }, "request")).toBe(
    "12 requests, 3 refused, 1 failed",
  );
  expect(lastMinuteText({ requests: 1, refused: 0, failed: 0 }, "connection")).toBe("1 connection");
  expect(lastMinuteText({ requests: 0, refused: 0, failed: 0 }, "request")).toBe("0 requests");
});

it("warns where requests arrived", () => {
  expect(inUseWarning({ requests: 1200, refused: 0, failed: 0 }, "request")).toEqual([
    "It is in use: 1,200 requests in the last minute.",
  ]);
  expect(inUseWarning({ requests: 0, refused: 0, failed: 0 }, "request")).toEqual([]);
  expect(inUseWarning(undefined, "request")).toEqual([]);
});
