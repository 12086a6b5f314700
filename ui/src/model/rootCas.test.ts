import { describe, expect, it } from "vitest";
import { isOfServer, rootCasOf } from "./rootCas";

describe("the authority in a configuration", () => {
  it.each([
    ["root_cas: /var/lib/postern/ca.pem", "/var/lib/postern/ca.pem"],
    ["version: 2\r\nroot_cas: /a b/ca.pem  # the server's\r\n", "/a b/ca.pem"],
    ['root_cas: "/with \\"quotes\\"/ca.pem"', '/with "quotes"/ca.pem'],
    ["root_cas: '/it''s/ca.pem' # note", "/it's/ca.pem"],
    ["version: 3\nagent:\n  connect_cas: C:\\postern\\ca.pem\n", "C:\\postern\\ca.pem"],
    ["root_cas: host", null],
    ["root_cas: trusted", null],
    ["root_cas: ca.pem", null],
    ["# root_cas: /a/ca.pem", null],
    ["root_cas:", null],
    ["", null],
  ])("of %j is %j", (text, path) => {
    expect(rootCasOf(text)).toBe(path);
  });
});

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
