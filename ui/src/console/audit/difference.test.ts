// The settings that a change set, as lines.
import { expect, it } from "vitest";
import { differences, settingName } from "./difference";

it("only settings that differ are changes", () => {
  const before = { description: "office", cidr: "10.0.0.0/8", hostports: ["a.test:443"] };
  const after = { description: "office", cidr: "10.1.0.0/16", hostports: ["a.test:443", "b.test:443"] };
  const { changes, same } = differences(before, after);
  expect(changes).toEqual([
    { path: ["cidr"], before: "10.0.0.0/8", after: "10.1.0.0/16" },
    { path: ["hostports"], before: "a.test:443", after: "a.test:443\nb.test:443" },
  ]);
  expect(same).toEqual([{ path: ["description"], before: "office", after: "office" }]);
});

it("a module that is set is compared with nothing, setting by setting", () => {
  const { changes } = differences(
    { oidc: null },
    { oidc: { enabled: true, issuer: "https://id.test", scopes: [] } },
  );
  expect(changes).toEqual([
    { path: ["oidc", "enabled"], before: null, after: "yes" },
    { path: ["oidc", "issuer"], before: null, after: "https://id.test" },
  ]);
});

it("a creation and a deletion have one side", () => {
  expect(differences(null, { name: "Ada", metadata: "" }).changes).toEqual([
    { path: ["name"], before: null, after: "Ada" },
  ]);
  expect(differences({ labels: { app: "shop" } }, null).changes).toEqual([
    { path: ["labels", "app"], before: "shop", after: null },
  ]);
  expect(differences(null, null).changes).toEqual([]);
});

it("settings have names in words", () => {
  expect(settingName(["ip_policy_id"])).toBe("IP policy ID");
  expect(settingName(["oidc", "client_secret"])).toBe("OpenID Connect, client secret");
  expect(settingName(["description"])).toBe("Description");
});
