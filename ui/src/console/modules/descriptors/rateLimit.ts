// Limits how many requests or connections are admitted in an interval.
import { counted, secondsText } from "../../../model/format";
import { numberOf, textOf } from "../../form/values";
import type { ModuleDescriptor } from "../descriptor";

const MAX_REQUESTS = 1_000_000;
const KEY = /^(address|identity|everyone|header:[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256})$/;

function whose(key: string): string {
  if (key === "everyone") return "all visitors together";
  if (key === "identity") return "each person";
  return key.startsWith("header:") ? `each value of ${key.slice("header:".length)}` : "each address";
}

export const rateLimit: ModuleDescriptor = {
  name: "rate_limit",
  label: "Rate limit",
  about:
    "Admits a number of requests in an interval; more get 429 and the time after which they can try again. On TLS and TCP edges it counts connections, and closes further ones.",
  owners: ["https_route", "tls_edge", "tcp_edge"],
  stage: 25,
  trace: "rate_limit",
  without: "Visitors can make as many requests as they like.",
  fields: [
    {
      kind: "number",
      name: "requests",
      label: "Requests",
      help: "Admitted in each interval. On TLS and TCP edges: connections.",
      initial: 100,
      min: 1,
      max: MAX_REQUESTS,
      unit: "requests",
    },
    {
      kind: "number",
      name: "interval",
      label: "Interval",
      initial: 10,
      min: 1,
      max: 86_400,
      unit: "seconds",
    },
    {
      kind: "number",
      name: "burst",
      label: "Burst",
      help: "Admitted once beyond the limit. Becomes available again while fewer requests are made.",
      initial: 0,
      min: 0,
      max: MAX_REQUESTS,
      unit: "requests",
    },
    {
      kind: "text",
      name: "key",
      label: "Counted separately",
      help: "`address`, `identity` (the person who has logged in), `header:NAME` or `everyone`. Visitors without an identity or the header are counted by their address. TLS and TCP edges support `address` and `everyone`.",
      initial: "address",
      placeholder: "address",
      mono: true,
      check: (text) =>
        KEY.test(text) ? null : "Write address, identity, everyone, or header: and the name of a header.",
    },
  ],
  summary: (view) => {
    const burst = numberOf(view["burst"]);
    const more = burst > 0 ? `, ${burst} more at once` : "";
    return `${counted(numberOf(view["requests"]), "request")} in ${secondsText(numberOf(view["interval"]))} for ${whose(textOf(view["key"]))}${more}`;
  },
  warnings: (draft) =>
    textOf(draft["key"]).startsWith("header:")
      ? [
          "Visitors choose their headers: count a header only if a login or your service verifies it, such as an API key.",
        ]
      : [],
};

export default [rateLimit];
