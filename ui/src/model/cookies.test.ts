import { expect, it } from "vitest";
import { sentCookies, setCookies } from "./cookies";

it("finds the cookies that were sent, in any number of headers", () => {
  const headers = [
    { name: "Cookie", value: 'a=1; b="x=y" ;; lonely' },
    { name: "cookie", value: "c=" },
  ];
  expect(sentCookies(headers)).toEqual([
    { name: "a", value: "1" },
    { name: "b", value: '"x=y"' },
    { name: "", value: "lonely" },
    { name: "c", value: "" },
  ]);
});

it("finds the cookies that were set, with their attributes as they stand", () => {
  const headers = [
    { name: "Set-Cookie", value: "sid=x; Path=/; Secure" },
    { name: "Set-Cookie", value: "b=2" },
  ];
  expect(setCookies(headers)).toEqual([
    { name: "sid", value: "x", attributes: "Path=/; Secure" },
    { name: "b", value: "2", attributes: "" },
  ]);
});
