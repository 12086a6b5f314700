// Forms: drafts, bodies and mistakes of each kind of field.
import { describe, expect, it } from "vitest";
import { bodyOf, draftOf, MASK, maskedBody, requestBody, shownFields } from "./draft";
import type { Field, FormDescription, RowsField } from "./field";
import { description, metadata } from "./fields";
import { mistakesOf } from "./mistakes";

const labels: RowsField = {
  kind: "rows",
  name: "labels",
  label: "Labels",
  columns: [
    { name: "name", label: "Label" },
    { name: "value", label: "Value" },
  ],
  shape: "map",
  add: "Add label",
  maxItems: 2,
};
const users: RowsField = {
  kind: "rows",
  name: "users",
  label: "Users",
  columns: [
    { name: "username", label: "User name" },
    { name: "password", label: "Password", secret: true },
  ],
  shape: "list",
  add: "Add user",
  required: true,
};
const secret: Field = { kind: "secret", name: "token", label: "Token", maxLength: 8 };
const backends = { kind: "weights", name: "backends", label: "Backends", of: [] } as const;

const formOf = (...fields: Field[]): FormDescription => ({ fields });
const mistake = (field: Field, value: ReturnType<typeof draftOf>[string]) =>
  mistakesOf(formOf(field), { [field.name]: value }, null)[field.name];

describe("the body of a request", () => {
  const form = formOf(
    { kind: "text", name: "type", label: "Type", createOnly: true },
    { kind: "list", name: "acl", label: "Rules" },
    labels,
    { kind: "flag", name: "admin", label: "Administrator", initial: false },
    description(),
    metadata,
  );
  const record = {
    id: "x_1",
    type: "a",
    acl: ["bind:a"],
    labels: { team: "web" },
    admin: true,
    description: "Old",
    metadata: "",
  };

  it("of a new record leaves empty members out", () => {
    const draft = { ...draftOf(form, null), description: "New" };
    expect(requestBody(form, "POST", draft, null)).toEqual({ admin: false, description: "New" });
  });

  it("of a change has only the differences, and empty values where members were removed", () => {
    const draft = draftOf(form, record);
    expect(requestBody(form, "PATCH", draft, record)).toEqual({});
    expect(requestBody(form, "PATCH", { ...draft, acl: [], labels: [], description: "" }, record)).toEqual({
      acl: [],
      labels: {},
      description: "",
    });
    expect(requestBody(form, "PATCH", { ...draft, type: "b" }, record)).toEqual({});
  });

  it("of a replacement has every member", () => {
    expect(requestBody(formOf(description(), labels), "PUT", draftOf(form, record), record)).toEqual({
      description: "Old",
      labels: { team: "web" },
    });
  });

  it("has the members that a field writes and a form nests", () => {
    const nested: FormDescription = {
      fields: [
        { kind: "flag", name: "tls", label: "TLS", initial: false, write: (enabled) => ({ enabled }) },
      ],
      nest: (members) => ({ upstream: members }),
      flatten: ({ upstream }) => ({ tls: upstream }),
    };
    expect(bodyOf(nested, draftOf(nested, { upstream: true }), null)).toEqual({
      upstream: { tls: { enabled: true } },
    });
  });
});

describe("rows", () => {
  it("of a map are read and written, without blank ones", () => {
    const form = formOf(labels);
    const draft = draftOf(form, { labels: { team: "web", stage: "" } });
    expect(draft["labels"]).toEqual([
      { name: "team", value: "web" },
      { name: "stage", value: "" },
    ]);
    const edited = [...(draft["labels"] as object[]), { name: " ", value: "" }] as typeof draft.labels;
    expect(bodyOf(form, { labels: edited ?? "" }, null)).toEqual({ labels: { team: "web", stage: "" } });
  });

  it("of a list keep a secret that was not entered out of the body", () => {
    const form = formOf(users);
    const draft = draftOf(form, { users: [{ username: "ada" }, { username: "bob" }] });
    const [ada = {}] = Array.isArray(draft["users"]) ? draft["users"] : [];
    expect(ada).toEqual({ username: "ada", password: "" });
    const edited = [
      { username: "ada", password: "" },
      { username: "bob", password: "s3cret" },
    ];
    const body = bodyOf(form, { users: edited }, null);
    expect(body).toEqual({ users: [{ username: "ada" }, { username: "bob", password: "s3cret" }] });
    expect(maskedBody(form, body)).toEqual({
      users: [{ username: "ada" }, { username: "bob", password: MASK }],
    });
  });

  it.each([
    [labels, [{ name: "", value: "web" }], "Label 1 is required."],
    [
      labels,
      [
        { name: "Team", value: "a" },
        { name: "team", value: "b" },
      ],
      "“team” occurs twice: case does not matter.",
    ],
    [labels, ["a", "b", "c"].map((name) => ({ name, value: "" })), "At most 2 are allowed; there are 3."],
    [users, [{ username: "", password: "" }], "Users: at least one is required."],
    [
      { ...labels, check: ({ name = "" }) => `${name} is reserved.` },
      [{ name: "a", value: "" }],
      "a is reserved.",
    ],
  ] satisfies [RowsField, object[], string][])("name their mistake ($#)", (field, rows, sentence) => {
    expect(mistake(field, rows)).toBe(sentence);
  });
});

describe("a mistake", () => {
  it.each([
    [{ ...description(), required: true }, "", "Description is required."],
    [description(), "ü".repeat(128), /^256 bytes; at most 255 are allowed/],
    [secret, "123456789", "At most 8 characters are allowed; there are 9."],
    [
      { kind: "number", name: "n", label: "N", initial: 200, min: 200, max: 599 },
      "x",
      "Enter a whole number from 200 to 599.",
    ],
    [
      { kind: "number", name: "n", label: "N", initial: 1, min: 1, max: 9, unit: "seconds" },
      "10",
      "Enter 1 to 9 seconds.",
    ],
    [{ kind: "share", name: "s", label: "S", initial: 0.5 }, "", "Enter a percentage from 0 to 100."],
    [{ kind: "list", name: "l", label: "Rules", required: true }, [], "Rules: at least one is required."],
    [
      { kind: "list", name: "l", label: "Rules", maxLength: 3 },
      ["abcd"],
      "“abcd…” has more than 3 characters.",
    ],
    [{ kind: "reference", name: "r", label: "SSH key", of: [], required: true }, "", "Choose an SSH key."],
    [{ kind: "reference", name: "r", label: "Backend", of: [], required: true }, "", "Choose a backend."],
    [
      backends,
      [{ id: "bk_1", weight: "10001" }],
      "The weight of bk_1 must be a whole number from 0 to 10000.",
    ],
  ] satisfies [Field, ReturnType<typeof draftOf>[string], string | RegExp][])(
    "is found in $0.kind ($#)",
    (field, value, sentence) => {
      expect(mistake(field, value)).toMatch(sentence);
    },
  );

  it("is not looked for in a field that is not shown", () => {
    const form = formOf(
      { ...description(), required: true, createOnly: true },
      { ...metadata, required: true, when: (draft) => draft["description"] !== "" },
    );
    expect(shownFields(form, draftOf(form, {}), {})).toEqual([]);
    expect(mistakesOf(form, draftOf(form, {}), {})).toEqual({});
    expect(Object.keys(mistakesOf(form, { description: "a" }, null))).toEqual(["metadata"]);
  });
});

it("numbers, shares and weights are sent as numbers and shown as typed", () => {
  const form = formOf(
    { kind: "number", name: "window", label: "Window", initial: 10, min: 0, max: 100 },
    { kind: "share", name: "share", label: "Share", initial: 0.5 },
    backends,
  );
  const record = { window: 20, share: 0.071, backends: { bk_1: 100 } };
  expect(draftOf(form, record)).toEqual({
    window: "20",
    share: "7.1",
    backends: [{ id: "bk_1", weight: "100" }],
  });
  expect(bodyOf(form, draftOf(form, record), record)).toEqual(record);
});

it("secrets are masked wherever they occur in a body", () => {
  const body = { provider: { google: { token: "planted" } }, token: "" };
  expect(maskedBody(formOf(secret), body)).toEqual({ provider: { google: { token: MASK } }, token: "" });
});
