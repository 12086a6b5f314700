import { describe, expect, it } from "vitest";
import { recordName } from "./recordName";

const base = { id: "x_1", uri: "" };

describe("the name of a record", () => {
  it.each([
    [{ ...base, cidr: "", country: "DE", action: "deny" }, "deny DE"],
    [{ ...base, cidr: "10.0.0.0/8", action: "allow", description: "Office" }, "allow 10.0.0.0/8"],
    [{ ...base, description: "Shop", hostports: ["shop.test:443"] }, "Shop"],
    [{ ...base, description: "", hostports: ["shop.test:443", "b.test:443"] }, "shop.test:443"],
    [{ ...base, name: "Ada" }, "Ada"],
    [{ ...base, domain: "a.test" }, "a.test"],
    [{ ...base, public_url: "", labels: { app: "shop", team: "web" } }, "app=shop, team=web"],
    [{ ...base, description: "", status_code: 503 }, "Status 503"],
    [{ ...base, host_name: "web-1", os: "linux/x86_64", ip: "192.0.2.7" }, "web-1"],
    [{ ...base, os: "linux/x86_64", ip: "192.0.2.7" }, "linux/x86_64 at 192.0.2.7"],
    [{ ...base, description: "", principals: ["a.test", "b.test"] }, "a.test, b.test"],
    [{ ...base, description: "", labels: {} }, null],
  ])("of %j is %s", (record, name) => {
    expect(recordName(record)).toBe(name);
  });
});
