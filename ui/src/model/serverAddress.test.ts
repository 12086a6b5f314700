import { describe, expect, it } from "vitest";
import { isOfServer } from "./serverAddress";

describe("an address of the server", () => {
  it.each([
    ["https://shop.localhost:4443/x", "localhost:4443", true],
    ["https://LOCALHOST:4443/", "localhost:4443", true],
    ["https://tunnel.example.com/", "tunnel.example.com:443", true],
    ["https://shop.localhost/", "localhost:4443", false],
    ["http://shop.localhost:4443/", "localhost:4443", false],
    ["https://evillocalhost:4443/", "localhost:4443", false],
    ["https://other.test:4443/", "localhost:4443", false],
  ])("%s at %s: %s", (url, server, expected) => {
    expect(isOfServer(url, server)).toBe(expected);
  });
});
