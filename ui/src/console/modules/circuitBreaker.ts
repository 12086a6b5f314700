// Stops sending requests to a backend that fails too often, for a while.
import type { ModuleDescriptor, NumberField } from "./descriptor";
import { numberOf, percent, seconds } from "./texts";

const MOST = 4_294_967_295;

function whole(field: Omit<NumberField, "kind">): NumberField {
  return { kind: "number", ...field };
}

export const circuitBreaker: ModuleDescriptor = {
  name: "circuit_breaker",
  label: "Circuit breaker",
  about:
    "Stops requests to a backend that fails too often: visitors get 503 at once instead of waiting for it.",
  owners: ["https_route"],
  trace: "circuit_breaker",
  without: "Every request goes to the backend, however often it fails.",
  fields: [
    {
      kind: "share",
      name: "error_threshold_percentage",
      label: "Trips at this share of errors",
      help: "Responses with status 500 or above and failed connections count as errors.",
      value: 0.5,
    },
    whole({
      name: "volume_threshold",
      label: "Minimum number of requests",
      help: "In the window below. Prevents a single error in a quiet hour from tripping it.",
      value: 20,
      least: 0,
      most: MOST,
      unit: "requests",
    }),
    whole({
      name: "rolling_window",
      label: "Counting window",
      value: 10,
      least: 1,
      most: MOST,
      unit: "seconds",
    }),
    whole({
      name: "tripped_duration",
      label: "Stays open for",
      help: "Then single requests test whether the backend has recovered.",
      value: 10,
      least: 1,
      most: MOST,
      unit: "seconds",
    }),
    whole({
      name: "num_buckets",
      label: "Parts of the window",
      help: "The window advances by one part at a time.",
      value: 10,
      least: 1,
      most: 128,
      unit: "buckets",
      advanced: true,
    }),
  ],
  summary: (view) =>
    `trips at ${percent(numberOf(view["error_threshold_percentage"]))} errors of ${numberOf(view["volume_threshold"])} or more requests in ${seconds(numberOf(view["rolling_window"]))}, for ${seconds(numberOf(view["tripped_duration"]))}`,
};
