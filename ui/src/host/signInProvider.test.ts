import { describe, expect, test } from "vitest";
import { beginAt, providerOf } from "./signInProvider";

const URL_OF = "https://api.example.test/console_sign_in/oidc";
const offered = (oidc: unknown) => providerOf(JSON.stringify({ oidc }));

describe("what a server offers", () => {
  test("is a provider with a name and an address, or nothing", () => {
    expect(offered({ name: "Example", url: URL_OF })).toEqual({ name: "Example", url: URL_OF });
    expect(offered(null)).toBeNull();
  });

  test("is ignored if the page does not understand it", () => {
    for (const oidc of [
      {},
      { name: "", url: URL_OF },
      { name: "a" },
      { name: "a", url: "javascript:alert(1)" },
      1,
      [],
    ])
      expect(offered(oidc), JSON.stringify(oidc)).toBeNull();
    for (const body of ["", "null", "<html>", "[]"]) expect(providerOf(body), body).toBeNull();
  });
});

describe("the address that begins a sign-in", () => {
  const provider = { name: "Example", url: URL_OF };

  test("leads back to the place that was open", () => {
    expect(beginAt(provider, "#/edges/https?search=a b&page=2")).toBe(
      `${URL_OF}?place=%2Fedges%2Fhttps%3Fsearch%3Da%20b%26page%3D2`,
    );
  });

  test("has no place where there is none", () => {
    for (const hash of ["", "#", "#/", "#edges"]) expect(beginAt(provider, hash), hash).toBe(URL_OF);
  });
});
