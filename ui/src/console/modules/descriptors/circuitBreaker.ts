// Stops sending requests to a backend that fails too often, for a while.
import { counted, secondsText } from "../../../model/format";
import type { NumberField } from "../../form/field";
import { numberOf } from "../../form/values";
import type { ModuleDescriptor } from "../descriptor";
import { percent } from "../texts";

const MAX_COUNT = 4_294_967_295;

function whole(field: Omit<NumberField, "kind">): NumberField {
  return { kind: "number", ...field };
}

export const circuitBreaker: ModuleDescriptor = {
  name: "circuit_breaker",
  label: "Circuit breaker",
  about:
    "Stops requests to a backend that fails too often: visitors get 503 at once instead of waiting for it.",
  owners: ["https_route"],
  stage: 120,
  trace: "circuit_breaker",
  without: "Every request goes to the backend, however often it fails.",
  fields: [
    {
      kind: "share",
      name: "error_threshold_percentage",
      label: "Opens at this share of errors",
      help: "Responses with status 500 or above and failed connections count as errors.",
      initial: 0.5,
    },
    whole({
      name: "volume_threshold",
      label: "Minimum number of requests",
      help: "In the window below. Keeps a single error in a quiet hour from opening it.",
      initial: 20,
      min: 0,
      max: MAX_COUNT,
      unit: "requests",
    }),
    whole({
      name: "rolling_window",
      label: "Counting window",
      initial: 10,
      min: 1,
      max: MAX_COUNT,
      unit: "seconds",
    }),
    whole({
      name: "tripped_duration",
      label: "Stays open for",
      help: "Then single requests test whether the backend has recovered.",
      initial: 10,
      min: 1,
      max: MAX_COUNT,
      unit: "seconds",
    }),
    whole({
      name: "num_buckets",
      label: "Parts of the window",
      help: "The window advances by one part at a time.",
      initial: 10,
      min: 1,
      max: 128,
      unit: "buckets",
      advanced: true,
    }),
  ],
  summary: (view) =>
    `opens for ${secondsText(numberOf(view["tripped_duration"]))} when ${percent(numberOf(view["error_threshold_percentage"]))} of at least ${counted(numberOf(view["volume_threshold"]), "request")} in ${secondsText(numberOf(view["rolling_window"]))} fail`,
};

export default [circuitBreaker];
