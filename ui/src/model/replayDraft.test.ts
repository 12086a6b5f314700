import { describe, expect, it } from "vitest";
import type { Detail } from "./details";
import { bodyText, replayDraftOf, draftProblem, replayOf } from "./replayDraft";
import { bytes } from "./sample";

function detailOf(cut = false, ...further: { name: string; value: string }[]): Detail {
  return {
    captured: {
      id: "1",
      tunnel_name: "web (http)",
      remote_addr: "",
      start: "",
      duration: 1,
      request: { proto: "HTTP/1.1", headers: {}, method: "POST", uri: "/pay?a=1", raw: "" },
      response: null,
    },
    request: {
      startLine: "POST /pay?a=1 HTTP/1.1",
      headers: [
        { name: "Host", value: "shop.test" },
        { name: "X-A", value: "1" },
        { name: "Content-Length", value: "4" },
        ...further,
      ],
      trailers: [],
      head: new Uint8Array(),
      bodySize: 4,
      cut,
    },
    response: null,
  };
}

describe("a request that is changed before it is sent again", () => {
  it("says only what differs", () => {
    const detail = detailOf();
    const draft = replayDraftOf(detail);
    expect(draft.headers).toEqual([
      { name: "Host", value: "shop.test" },
      { name: "X-A", value: "1" },
    ]);
    expect(replayOf("1", draft, detail)).toEqual({ id: "1", through: "local" });
    const changed = {
      ...draft,
      method: "PUT",
      headers: [...draft.headers, { name: " X-B ", value: "2" }, { name: "", value: "" }],
      body: "",
      through: "edge" as const,
      tunnel: "staging",
    };
    expect(replayOf("1", changed, detail)).toEqual({
      id: "1",
      through: "edge",
      tunnel_name: "staging",
      method: "PUT",
      headers: [
        ["Host", "shop.test"],
        ["X-A", "1"],
        ["X-B", "2"],
      ],
      body: "",
    });
  });

  it("is not sent while something is wrong with it", () => {
    const detail = detailOf(true);
    const draft = replayDraftOf(detail);
    expect(draftProblem(draft, detail)).toContain("Only the beginning");
    expect(draftProblem({ ...draft, body: "tea!" }, detail)).toBeNull();
    expect(draftProblem({ ...draft, body: "", method: "A B" }, detail)).toContain("one word");
    expect(draftProblem({ ...draft, body: "", path: "/a b" }, detail)).toContain("spaces");
    expect(draftProblem({ ...draft, body: "", headers: [{ name: "", value: "x" }] }, detail)).toContain(
      "no name",
    );
  });

  it("has a body to edit only where it is text", () => {
    expect(bodyText(detailOf(), bytes("tea!"))).toBe("tea!");
    expect(bodyText(detailOf(), bytes("t\0a!"))).toBeNull();
    expect(bodyText(detailOf(), bytes("x".repeat(300_000)))).toBeNull();
    expect(bodyText(detailOf(false, { name: "Content-Encoding", value: "gzip" }), bytes("tea!"))).toBeNull();
  });
});
