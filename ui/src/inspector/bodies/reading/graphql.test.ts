import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mediaType } from "../../../model/httpMessage";
import { bodyKindOf } from "./bodyKind";
import { readGraphql } from "./graphql";
import { formatGraphql, graphqlTokens } from "./graphqlDocument";
import { graphqlLine } from "./graphqlLine";

const kind = (type: string, text: string) => bodyKindOf(mediaType(type), new TextEncoder().encode(text));

describe("a GraphQL document", () => {
  it("has one field per line", () => {
    const sent =
      'query Order($id:ID!,$first:Int=10){order(id:$id){...Main @include(if:true) mine:lines(first:$first,where:{sku:{in:["A","B"]},open:true}){sku}... on Paid{at}}}fragment Main on Order{id note}';
    expect(formatGraphql(sent)).toBe(
      [
        "query Order($id: ID!, $first: Int = 10) {",
        "  order(id: $id) {",
        "    ...Main @include(if: true)",
        '    mine: lines(first: $first, where: { sku: { in: ["A", "B"] }, open: true }) {',
        "      sku",
        "    }",
        "    ... on Paid {",
        "      at",
        "    }",
        "  }",
        "}",
        "",
        "fragment Main on Order {",
        "  id",
        "  note",
        "}",
      ].join("\n"),
    );
  });

  it("keeps its comments and strings", () => {
    const sent = '{ a(text: "x # y, {z}") # why\n b(text: """one\n  two""") }';
    const shown = formatGraphql(sent) ?? "";
    expect(shown).toContain('a(text: "x # y, {z}")');
    expect(shown).toContain("  # why");
    expect(shown).toContain('"""one\n  two"""');
  });

  it.each(["{ a(", "query { %", '{ a(x: "open', "<html>"])("is not laid out where it is none: %j", (text) => {
    const shown = formatGraphql(text);
    if (shown !== null) expect(graphqlTokens(shown)).toEqual(graphqlTokens(text));
    else expect(graphqlTokens(text)).toBeNull();
  });

  it("has the same tokens afterwards, whatever they are", () => {
    const token = fc.oneof(
      fc.constantFrom(..."!$&()*+:=@[]{|}", "...", "on", "query", "fragment", "a", "b1", "_c", "true"),
      fc.constantFrom("1", "-2.5", "1e3", '"x"', '"a\\"b"', '"""one\n two"""', "# note\n", '""'),
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 60 }), (tokens) => {
        const text = tokens.join(" ");
        const shown = formatGraphql(text);
        expect(shown).not.toBeNull();
        expect(graphqlTokens(shown ?? "")).toEqual(graphqlTokens(text));
      }),
      { numRuns: 1000 },
    );
  });

  it("costs no stack and no time, however deep it is", () => {
    const deep = "{a".repeat(100_000);
    expect(formatGraphql(deep)?.length).toBeLessThan(20_000_000);
    expect(formatGraphql("a".repeat(2_000_000))).toBeNull();
  });
});

describe("a GraphQL request", () => {
  it("is its operation, its document and its variables", () => {
    const body =
      '{"operationName":"Order","variables":{"id":12345678901234567890,"deep":{"a":[1]}},"query":"query Order($id: ID!) { order(id: $id) { id } }"}';
    expect(readGraphql(body, false)).toEqual({
      text: [
        "# Operation: Order",
        "query Order($id: ID!) {",
        "  order(id: $id) {",
        "    id",
        "  }",
        "}",
        "",
        "# Variables",
        "{",
        '  "id": 12345678901234567890,',
        '  "deep": {',
        '    "a": [',
        "      1",
        "    ]",
        "  }",
        "}",
      ].join("\n"),
      notes: [],
    });
  });

  it("may be several, or known by its hash, or no JSON at all", () => {
    const several = readGraphql('[{"query":"{a}"},{"query":"{b}","variables":{}}]', false);
    expect(several.text).toContain("# Operation 1\n{\n  a\n}");
    expect(several.text).toContain("# Operation 2\n{\n  b\n}");
    const hashed = readGraphql('{"extensions":{"persistedQuery":{"sha256Hash":"ab"}}}', false);
    expect(hashed.text).toContain("the server knows it by its hash");
    expect(hashed.text).toContain('"sha256Hash": "ab"');
    expect(readGraphql('{"a":1}', false).notes).toHaveLength(1);
    expect(readGraphql("{a}", true).text).toBe("{\n  a\n}");
    expect(readGraphql('{"query":"{ % }"}', false)).toMatchObject({ text: "{ % }", notes: [/laid out/] });
  });

  it("takes any bytes", () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), fc.boolean(), (text, isDocument) => {
        readGraphql(text, isDocument);
      }),
    );
  });

  it("is recognized by its type or by its query", () => {
    expect(kind("application/graphql", "{a}")).toBe("graphql");
    expect(kind("application/json", '{"query":"query A { b }","variables":{}}')).toBe("graphqlRequest");
    expect(kind("application/json", '{"operationName":"A","query":"\\n  mutation A { b }"}')).toBe(
      "graphqlRequest",
    );
    expect(kind("application/json", '[{"query":"{a}"}]')).toBe("graphqlRequest");
    expect(kind("application/json", '{"query":"red shoes"}')).toBe("json");
  });

  it("is coloured without a change", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (line) => {
        const shown = line.replaceAll(/[\r\n]/g, "");
        expect(
          graphqlLine(shown)
            .map(([, text]) => text)
            .join(""),
        ).toBe(shown);
      }),
    );
    expect(graphqlLine("query A($id: ID!)")[0]).toEqual(["word", "query"]);
  });
});
