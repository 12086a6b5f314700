import { describe, expect, it } from "vitest";
import { ago, counted, duration, parseSize, secondsUntil, since, size, span } from "./format";

describe("numbers as people read them", () => {
  it.each([
    [null, ""],
    [412_000, "0.4 ms"],
    [3_893_202, "3.9 ms"],
    [340e6, "340 ms"],
    [1.234e9, "1.23 s"],
    [12.34e9, "12.3 s"],
    [83e9, "1 min 23 s"],
  ])("%s nanoseconds are %j", (value, expected) => expect(duration(value)).toBe(expected));

  it.each([
    [0, "0 B"],
    [1023, "1023 B"],
    [1024, "1.0 KB"],
    [15 * 1024, "15 KB"],
    [1024 * 1024, "1.0 MB"],
  ])("%s bytes are %j", (value, expected) => expect(size(value)).toBe(expected));

  it("reads sizes", () => {
    expect(parseSize("1mb")).toBe(1024 * 1024);
    expect(parseSize("x")).toBeNull();
  });

  it("counts down and never below nothing", () => {
    const now = Date.parse("2026-01-01T00:00:00Z");
    expect(secondsUntil("2026-01-01T00:00:07.2Z", now)).toBe(8);
    expect(secondsUntil("2025-12-31T00:00:00Z", now)).toBe(0);
    expect(secondsUntil("never", now)).toBe(0);
  });

  it("says how long ago an event was, which is never in the future", () => {
    const now = Date.parse("2026-01-01T00:00:00Z");
    expect(ago("2025-12-31T23:59:33Z", now)).toBe("just now");
    expect(ago("2025-12-31T23:55:00Z", now)).toBe("5 minutes ago");
    expect(ago("2026-01-04T00:00:00Z", now)).toBe("in 3 days");
    expect(ago("2026-01-01T00:00:02Z", now)).toBe("in a moment");
    expect(since("2026-01-01T00:00:02Z", now)).toBe("just now");
    expect(since("2025-12-31T22:00:00Z", now)).toBe("2 hours ago");
  });

  it("says one and many", () => {
    expect(counted(1, "request")).toBe("1 request");
    expect(counted(2048, "request")).toBe("2,048 requests");
    expect(span(59)).toBe("59 s");
    expect(span(7300)).toBe("2 h");
  });
});
