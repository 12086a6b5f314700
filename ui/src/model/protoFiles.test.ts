import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  MAX_PROTO_BYTES,
  MAX_PROTO_FILES,
  packageOf,
  protoBytes,
  readChosen,
  readProtoFiles,
  withProtoFiles,
} from "./protoFiles";

const file = (name: string, text = "") => ({ name, text });

describe("stored .proto files", () => {
  it("are what was stored, whatever else is there", () => {
    const files = [file("a.proto", 'syntax = "proto3";')];
    expect(readProtoFiles(JSON.stringify(files))).toEqual(files);
    expect(readProtoFiles(JSON.stringify([...files, null, { name: 1, text: "" }]))).toEqual(files);
    expect(readProtoFiles(null)).toEqual([]);
    expect(readProtoFiles(JSON.stringify([file("a.proto", "x".repeat(MAX_PROTO_BYTES))]))).toEqual([]);
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (stored) => {
        expect(Array.isArray(readProtoFiles(stored))).toBe(true);
      }),
    );
  });
});

describe("adding .proto files", () => {
  it("replaces one of the same name and package, and keeps one of another package", () => {
    const first = file("order.proto", "package v1;\nmessage A {}");
    const second = file("order.proto", "// package v1;\npackage v2;");
    const third = file("order.proto", "package v1;\nmessage B {}");
    expect([packageOf(first), packageOf(second), packageOf(file("x"))]).toEqual(["v1", "v2", ""]);
    expect(withProtoFiles([first], [second, third])).toEqual([third, second]);
  });

  it("never goes beyond the limits", () => {
    const some = fc.array(fc.record({ name: fc.string(), text: fc.string({ maxLength: 20 }) }), {
      maxLength: 90,
    });
    fc.assert(
      fc.property(some, some, fc.nat(MAX_PROTO_BYTES), (files, added, length) => {
        const all = withProtoFiles(files, [...added, file("long", "x".repeat(length))]);
        if (typeof all === "string") expect(all).toMatch(/at most (?:64|1 MB) are kept/);
        else {
          expect(all.length).toBeLessThanOrEqual(MAX_PROTO_FILES);
          expect(protoBytes(all)).toBeLessThanOrEqual(MAX_PROTO_BYTES);
        }
      }),
      { numRuns: 50 },
    );
  });

  it("refuses what is no text, no .proto file or too large, before it is read", async () => {
    expect(await readChosen([new File(["message A {}"], "a.proto")])).toEqual([
      file("a.proto", "message A {}"),
    ]);
    expect(await readChosen([new File(["x"], "a.png")])).toContain("a.png is not a .proto file");
    expect(await readChosen([new File([Uint8Array.from([255, 254])], "a.proto")])).toContain("UTF-8");
    const large = { name: "a.proto", size: MAX_PROTO_BYTES + 1 } as File;
    expect(await readChosen([large])).toContain("at most 1 MB are kept");
  });
});
