import { expect, it } from "vitest";
import { csvOf } from "./csv";
import { descriptionColumn, idColumn, type Column } from "./kind";

const record = (description: string) => ({ id: "x_1", uri: "", description });
const count: Column = { name: "count", label: "Count", text: () => "-1", number: () => -1 };

it("has labels, ids and cells, quoted where they need it", () => {
  const text = csvOf(
    [descriptionColumn, idColumn, count],
    [record('the "old", one'), record("two\nlines")],
    undefined,
  );
  expect(text).toBe('ID,Description,Count\r\nx_1,"the ""old"", one",-1\r\nx_1,"two\nlines",-1\r\n');
});

it.each(["=1+1", "+1", "-1", "@sum", "\tx"])("is no formula where a text begins like %j", (description) => {
  expect(csvOf([descriptionColumn], [record(description)], undefined)).toContain(`x_1,'${description}`);
});
