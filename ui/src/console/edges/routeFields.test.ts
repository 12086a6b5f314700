// Routes as displayed: their paths and their matching order.
import { expect, it } from "vitest";
import type { HttpsRoute } from "../../api/generated";
import { mistakesOf } from "../form/mistakes";
import { hostports } from "./hostportsField";
import { inMatchOrder, wrongPath } from "./routeFields";
import { pathOf } from "./routePath";

const route = (match_type: HttpsRoute["match_type"], match: string) => ({ match_type, match }) as HttpsRoute;

it("stand in the order in which they are tried", () => {
  const routes = [
    route("path_prefix", "/"),
    route("path_prefix", "/app/api"),
    route("exact_path", "/"),
    route("path_prefix", "/app"),
    route("exact_path", "/app/api/v1"),
  ];
  expect(inMatchOrder(routes).map(pathOf)).toEqual(["/app/api/v1", "/", "/app/api/…", "/app/…", "/…"]);
});

it("have paths", () => {
  expect(wrongPath("/app")).toBeNull();
  expect(wrongPath("app")).toBe("A path begins with /.");
  expect(wrongPath(`/${"ä".repeat(1024)}`)).toBe("At most 1024 characters.");
  expect(wrongPath("/a\nb")).toBe("A path cannot contain control characters.");
});

const mistake = (names: readonly string[]) =>
  mistakesOf({ fields: [hostports("names")] }, { hostports: names }, null)["hostports"];

it("lie at names with ports", () => {
  expect(mistake(["shop.test:443", "*.shop.test:443", "[::1]:24000"])).toBeUndefined();
  expect(mistake(["shop.test"])).toBe("“shop.test” has no port: write it like shop.test:443.");
  expect(mistake(["shop.test:70000"])).toBe("“shop.test:70000” has no port from 1 to 65535.");
  expect(mistake(["https://shop.test:443"])).toBe("“https://shop.test:443” is not a name with a port.");
  expect(mistake(Array.from({ length: 101 }, (_, at) => `a${at}.test:443`))).toBe(
    "At most 100 are allowed; there are 101.",
  );
});
