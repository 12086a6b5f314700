import { describe, expect, it } from "vitest";
import { adviceFor } from "../model/advice";
import { asProblem, errorFromResponse, sentence } from "./problem";

describe("what went wrong", () => {
  it("comes from the agent's error body with its code and the particulars", () => {
    const body = {
      error_code: 103,
      status_code: 502,
      msg: "failed to start tunnel",
      details: { err: "the name shop.localhost is in use", code: "ERR_POSTERN_334" },
    };
    expect(asProblem(errorFromResponse(502, JSON.stringify(body)))).toEqual({
      code: "ERR_POSTERN_334",
      message: "The name shop.localhost is in use.",
    });
  });

  it("is told also where the answer cannot be read", () => {
    expect(asProblem(errorFromResponse(504, "<html>"))).toEqual({
      code: "HTTP_504",
      message: "The agent responded with status 504.",
    });
    expect(asProblem({ code: "ERR_POSTERN_8114", message: "No." })).toEqual({
      code: "ERR_POSTERN_8114",
      message: "No.",
    });
    expect(asProblem(null).message).not.toBe("");
  });

  it("comes with advice, unless the message gives its own", () => {
    expect(adviceFor({ code: "ERR_POSTERN_334", message: "The name is in use." })).toContain("another name");
    expect(
      adviceFor({ code: "ERR_POSTERN_334", message: "The name `a.localhost` is in use. Stop the other." }),
    ).toBeNull();
    expect(adviceFor({ code: "ERR_POSTERN_9999", message: "Odd." })).toBeNull();
  });

  it("reads like a sentence", () => {
    expect(sentence(" no port is free ")).toBe("No port is free.");
    expect(sentence("Why?")).toBe("Why?");
  });
});
