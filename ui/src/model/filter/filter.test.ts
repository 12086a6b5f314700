import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Summary } from "../../api/types";
import { sample } from "../sample";
import { hasTerm, setTerm, toggleTerm, tunnelName, understand, valueOf } from ".";
import { suggest } from "./suggest";

interface Cases {
  requests: Summary[];
  cases: { filter: string; passes?: number[]; position?: number }[];
}

// Written by the agent's own tests, which fail when it is stale.
const { requests, cases } = JSON.parse(
  readFileSync(join(import.meta.dirname, "cases.json"), "utf8"),
) as Cases;

describe("a filter", () => {
  it("says of every request what the agent says", () => {
    let here = 0;
    for (const { filter, passes } of cases.filter((known) => known.passes)) {
      const understood = understand(filter);
      if (understood.kind === "agent") continue;
      if (understood.kind === "mistake") throw new Error(`${filter}: ${understood.position}`);
      here += 1;
      const found = requests.flatMap((request, at) => (understood.matches(request) ? [at] : []));
      expect(found, filter).toEqual(passes);
    }
    expect(here, "most filters are judged here").toBeGreaterThan(200);
  });

  it("is refused where the agent refuses it", () => {
    const refused = cases.filter(({ position }) => position !== undefined);
    expect(refused.length).toBeGreaterThan(25);
    for (const { filter, position } of refused)
      expect(understand(filter), filter).toEqual({ kind: "mistake", position });
  });

  it.each(["header.accept:json", "body~x", "type:html", "path~/a.*/", "status:5xx or not request.body:a"])(
    "is left to the agent: %s",
    (filter) => expect(understand(filter).kind).toBe("agent"),
  );

  it("survives any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        understand(text);
        suggest(text, text.length, { methods: [], hosts: [], tunnels: [], statuses: [] });
        toggleTerm(text, "replayed:yes");
        setTerm(text, "tunnel", "a b");
      }),
    );
  });
});

describe("changing a filter", () => {
  it("adds a term, and takes it out again", () => {
    expect(toggleTerm("orders", "dur>1s")).toBe("orders dur>1s");
    expect(toggleTerm("orders dur>1s x", "dur>1s")).toBe("orders x");
    expect(toggleTerm("", "(status>=400 or error:*)")).toBe("(status>=400 or error:*)");
    expect(hasTerm("a (status>=400  or error:*)", "(status>=400 or error:*)")).toBe(true);
    expect(toggleTerm("a or b", "dur>1s")).toBe("(a or b) dur>1s");
  });

  it("replaces the value of a field", () => {
    expect(setTerm("tunnel:a orders", "tunnel", "my site")).toBe('orders tunnel:"my site"');
    expect(valueOf('orders tunnel:"my site"', "tunnel")).toBe("my site");
    expect(setTerm('orders tunnel:"my site"', "tunnel", null)).toBe("orders");
  });

  it("can find what it has written, whatever the value", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (value) => {
        expect(valueOf(setTerm("a", "tunnel", value), "tunnel")).toBe(value);
      }),
    );
  });

  it("takes the protocol off a captured tunnel's name", () => {
    expect(tunnelName("site (http)")).toBe("site");
    expect(tunnelName("site (http) (http)")).toBe("site (http)");
  });
});

describe("suggestions", () => {
  const seen = {
    methods: ["GET", "POST"],
    hosts: ["shop.test"],
    tunnels: ["web", "my site"],
    statuses: ["200 OK", "418 I'm a teapot"],
  };
  const inserts = (text: string, caret = text.length) =>
    suggest(text, caret, seen).items.map((item) => item.insert);

  it("are fields, then the values that were seen", () => {
    expect(inserts("")).toContain("status:");
    expect(inserts("st")).toEqual(["status:", "status>="]);
    expect(inserts("status:")).toContain("status:418");
    expect(inserts("status:4")).toEqual(["status:4xx", "status:418"]);
    expect(inserts("method:p")).toEqual(["method:POST"]);
    expect(inserts("tunnel:m")).toEqual(['tunnel:"my site"']);
    expect(inserts("pinned:yes")).toEqual([]);
    expect(inserts("orders")).toEqual([]);
  });

  it("do not cover the results of a term that is complete, unless a key asks for them", () => {
    expect(inserts('status:5xx or body~"grace" ')).toEqual([]);
    expect(inserts("status:5xx ")).toEqual([]);
    expect(suggest("status:5xx ", 11, seen, true).items.length).toBeGreaterThan(0);
  });

  it("take the place of the word that is typed", () => {
    expect(suggest("a (meth b", 7, seen)).toMatchObject({ from: 3, end: 7, items: [{ insert: "method:" }] });
    expect(suggest('path:"a b" st', 13, seen)).toMatchObject({ from: 11, end: 13 });
  });
});

it("judges a hundred thousand requests", () => {
  const many = Array.from({ length: 100_000 }, (_, number) =>
    sample(String(number), { path: `/item/${number}`, method: number % 3 === 0 ? "POST" : "GET" }),
  );
  const understood = understand("item/99 method:POST dur<1s");
  if (understood.kind !== "here") throw new Error("judged here");
  expect(many.filter(understood.matches).length).toBe(373);
});
