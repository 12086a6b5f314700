// Stops sending requests to a backend that fails too often, for a while.
import type { ModuleDescriptor, NumberField } from "./descriptor";
import { numberOf, percent, seconds } from "./words";

const MOST = 4_294_967_295;

function whole(field: Omit<NumberField, "kind">): NumberField {
  return { kind: "number", ...field };
}

export const circuitBreaker: ModuleDescriptor = {
  name: "circuit_breaker",
  label: "Circuit breaker",
  about: "Leaves a backend alone that fails too often: visitors get 503 at once instead of waiting for it.",
  owners: ["https_route"],
  trace: "circuit_breaker",
  without: "Every request goes to the backend, however often it fails.",
  fields: [
    {
      kind: "share",
      name: "error_threshold_percentage",
      label: "Trips at this share of errors",
      help: "Answers of 500 and above and failed connections count as errors.",
      value: 0.5,
    },
    whole({
      name: "volume_threshold",
      label: "But only from so many requests",
      help: "In the window below. Keeps a single error in a quiet hour from tripping it.",
      value: 20,
      least: 0,
      most: MOST,
      unit: "requests",
    }),
    whole({
      name: "rolling_window",
      label: "Window in which they are counted",
      value: 10,
      least: 1,
      most: MOST,
      unit: "seconds",
    }),
    whole({
      name: "tripped_duration",
      label: "Stays open for",
      help: "Then one request at a time tries whether the backend is well again.",
      value: 10,
      least: 1,
      most: MOST,
      unit: "seconds",
    }),
    whole({
      name: "num_buckets",
      label: "Parts of the window",
      help: "The window moves on by one part at a time.",
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
