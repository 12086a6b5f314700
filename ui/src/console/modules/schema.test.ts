// Every module of the API has a form that matches its schema: no member is missing, and types, limits and defaults
// are equal.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TOP, settableModules, resolveSchema, type Schema } from "./schema";
import { bodyOf, draftOf, initialValue } from "../form/draft";
import type { Body, Draft, Field, Value } from "../form/field";
import type { ModuleDescriptor } from "./descriptor";
import { MODULES, modulesOf, stagesOf } from "./index";
import { LOGIN_PROVIDERS } from "../../model/loginProviders";
import { ALIASES, WEBHOOK_PROVIDERS } from "../../model/webhookProviders";

const SHAPES: Record<Field["kind"], readonly string[]> = {
  text: ["string"],
  secret: ["string"],
  document: ["string"],
  choice: ["string"],
  reference: ["string"],
  number: ["integer"],
  share: ["number"],
  flag: ["boolean"],
  list: ["array"],
  references: ["array"],
  rows: ["object"],
  weights: ["object"],
  order: ["array"],
};

function moduleOf(owner: string, name: string): ModuleDescriptor | undefined {
  return MODULES.find((module) => module.name === name && module.owners.some((own) => own === owner));
}

/** A valid value of a field that differs from its initial one. */
function something(field: Field): Value {
  switch (field.kind) {
    case "number":
      return String(field.min + 300);
    case "share":
      return "25";
    case "flag":
      return !field.initial;
    case "list":
    case "references":
    case "order":
      return ["some"];
    case "weights":
      return [{ id: "some", weight: "1" }];
    case "rows":
      return [Object.fromEntries(field.columns.map(({ name }) => [name, `some-${name}`]))];
    case "choice":
      return field.options.at(-1)?.value ?? "";
    default:
      return "some";
  }
}

function full(module: ModuleDescriptor, over: Draft = {}): Draft {
  return { ...Object.fromEntries(module.fields.map((field) => [field.name, something(field)])), ...over };
}

/** The drafts that together fill every member of a module: one for each variant of its body. */
function drafts(module: ModuleDescriptor): Draft[] {
  if (module.name === "oauth") return LOGIN_PROVIDERS.map(({ value }) => full(module, { provider: value }));
  if (module.name === "tls_termination") return [full(module, { terminate_at: "edge" })];
  return [full(module)];
}

/** The members of a body and of the objects in it, as paths. */
function paths(body: unknown, schema: Schema, at = ""): string[] {
  const { properties } = resolveSchema(schema);
  if (typeof body !== "object" || body === null || !properties) return [at];
  return Object.entries(body as Body).flatMap(([name, value]) => {
    const member = properties[name];
    expect(member, `the API knows no ${at}.${name}`).toBeDefined();
    return paths(value, member ?? {}, `${at}.${name}`);
  });
}

/** Every member that a request may contain. */
function leaves(schema: Schema, at = ""): string[] {
  const { properties } = resolveSchema(schema);
  if (!properties) return [at];
  return Object.entries(properties).flatMap(([name, member]) => leaves(member, `${at}.${name}`));
}

/** The schema of the member that a field sets. */
function memberOf(module: ModuleDescriptor, field: Field, body: Schema): Schema {
  const own = body.properties?.[field.name];
  if (own?.type ?? own?.anyOf) return resolveSchema(own ?? {});
  const provider = resolveSchema(body.properties?.["provider"] ?? {}).properties?.["github"];
  if (module.name === "oauth" && field.name !== "provider")
    return resolveSchema(resolveSchema(provider ?? {}).properties?.[field.name] ?? {});
  return resolveSchema(own ?? {});
}

describe("every module that can be put", () => {
  it("has a form, and every form is of one", () => {
    const schemaMembers = settableModules().map(({ owner, name }) => `${owner} ${name}`);
    const forms = MODULES.flatMap(({ owners, name }) => owners.map((owner) => `${owner} ${name}`));
    expect(forms.toSorted()).toEqual(schemaMembers.toSorted());
    expect(schemaMembers.length).toBeGreaterThanOrEqual(20);
  });

  it.each(settableModules())("says every member of $owner $name", ({ owner, name, body }) => {
    const module = moduleOf(owner, name);
    if (!module) throw new Error("it has no form");
    const members = new Set(
      drafts(module).flatMap((draft) => paths({ enabled: true, ...bodyOf(module, draft, null) }, body)),
    );
    expect([...members].toSorted()).toEqual(leaves(body).toSorted());
  });

  it.each(settableModules())("asks for each member of $owner $name as it is", ({ owner, name, body }) => {
    const module = moduleOf(owner, name);
    for (const field of module?.fields ?? []) {
      const member = module ? memberOf(module, field, body) : {};
      if (name === "oauth" && field.name === "provider") {
        expect(LOGIN_PROVIDERS.map(({ value }) => value).toSorted()).toEqual(
          Object.keys(member.properties ?? {}).toSorted(),
        );
        continue;
      }
      const types = [member.type ?? (member.oneOf ? "string" : [])].flat();
      const shape = field.kind === "rows" && field.shape === "list" ? ["array"] : SHAPES[field.kind];
      expect(types, field.name).toEqual(expect.arrayContaining([...shape]));
      agrees(field, member);
      // Members required by the API must be required here. A secret is required where the provider has one.
      const needed = body.required?.includes(field.name) ?? false;
      if (module?.name !== "oauth" && field.kind !== "secret")
        expect(field.required ?? false, field.name).toBe(needed);
    }
  });
});

function agrees(field: Field, member: Schema): void {
  const about = field.name;
  const start = initialValue(field);
  switch (field.kind) {
    case "text":
    case "secret":
    case "document":
      expect(field.maxLength, about).toBe(member.maxLength);
      if (member.default !== undefined) expect(start, about).toBe(member.default);
      break;
    case "number":
      expect([field.min, field.max], about).toEqual([
        member.minimum ?? 0,
        // The interval of checks states its real bounds one level below.
        Math.min(member.maximum ?? Infinity, member.anyOf?.[1]?.maximum ?? Infinity),
      ]);
      expect(field.initial, about).toBe(member.default);
      break;
    case "share":
      expect([0, 1], about).toEqual([member.minimum, member.maximum]);
      expect(field.initial, about).toBe(member.default);
      break;
    case "flag":
      expect(field.initial, about).toBe(member.default);
      break;
    case "list":
      expect(field.maxItems, about).toBe(member.maxItems);
      if (member.items?.maxLength !== undefined) expect(field.maxLength, about).toBe(member.items.maxLength);
      break;
    case "rows":
      expect(field.maxItems, about).toBe(field.shape === "list" ? member.maxItems : member.maxProperties);
      break;
    case "references":
      expect(field.maxItems, about).toBe(member.maxItems);
      break;
    case "choice": {
      const schemaMembers = (member.enum ?? member.oneOf?.map((one) => one.const) ?? []).filter(
        (one) => one !== null && one !== "",
      );
      const options = field.options.map(({ value }) => value);
      const aliases = field.name === "provider" ? Object.keys(ALIASES) : [];
      expect([...options, ...aliases].toSorted(), about).toEqual(schemaMembers.toSorted());
      break;
    }
    case "reference":
    case "weights":
    case "order":
      break;
  }
}

describe("the providers of webhooks", () => {
  it("are in the order in which people look for them", () => {
    const labels = WEBHOOK_PROVIDERS.map(({ label }) => label);
    expect(labels).toEqual(labels.toSorted((one, other) => one.localeCompare(other, "en")));
  });
});

describe("the order of the stages", () => {
  const source = readFileSync(join(TOP, "edge/src/modules.rs"), "utf8");
  /** The stages as named in the code of the edge; those only for tunnels are omitted. */
  const called = (name: string): string[] => {
    const from = source.indexOf(`fn ${name}(`);
    const body = source.slice(from, source.indexOf("\n    }\n", from));
    const stages = [...body.matchAll(/(\w+)::stage\(/g)].map((found) => found[1] ?? "");
    expect(stages.length, name).toBeGreaterThan(1);
    return stages.filter((stage) => stage !== "host_header");
  };

  it("of a request is that of the edge", () => {
    const shown = stagesOf("https_route").inward.map(({ trace }) => trace);
    const once = shown.filter((stage, at) => shown.indexOf(stage) === at);
    expect(once).toEqual([...called("check_request"), "backend"]);
  });

  it("of a response is that of the edge", () => {
    expect(stagesOf("https_route").outward.map(({ trace }) => trace)).toEqual(called("transform_response"));
  });

  it.each(["https_edge", "https_route", "tls_edge", "tcp_edge"] as const)(
    "has all modules of %s",
    (owner) => {
      const { inward, outward } = stagesOf(owner);
      expect([...inward, ...outward]).toEqual(modulesOf(owner));
    },
  );
});

it("a new form begins with what the API would take for left out", () => {
  for (const { owner, name, body } of settableModules()) {
    const module = moduleOf(owner, name);
    if (!module || (body.required ?? []).length > 0) continue;
    const sent = bodyOf(module, draftOf(module, null), null);
    for (const [member, value] of Object.entries(sent)) {
      const usual = body.properties?.[member]?.default;
      if (usual !== undefined) expect(value, `${name}.${member}`).toEqual(usual);
    }
  }
});
