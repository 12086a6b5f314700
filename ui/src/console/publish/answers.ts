// The answers that the values of the form stand for.
import { readCidr } from "../../model/cidr";
import { bodyOf, filledRows, maskedBody } from "../form/draft";
import type { Draft, Row } from "../form/field";
import { rowsOf, textOf, textsOf } from "../form/values";
import type { PublishFacts } from "./fields";
import { hostportOf } from "./host";
import { readLabels } from "./labels";
import { innerDraft, moduleOf } from "./moduleFields";
import type { Answers, Labels, Protection, Target, WeightedAddress } from "./plan";

/** Complete answers; where something is missing, the mistakes of the form say so. */
export function answersOf(draft: Draft, { server, backends }: PublishFacts, publication: string): Answers {
  return {
    hostport: hostportOf(textOf(draft["name"]), server.domain),
    target: targetOf(draft, backends),
    protection: protectionOf(draft),
    publication,
  };
}

function targetOf(draft: Draft, backends: ReadonlyMap<string, string>): Target {
  switch (draft["target"]) {
    case "labels":
      return { kind: "tunnels", labels: rowLabels(rowsOf(draft["labels"])) };
    case "address":
      return {
        kind: "addresses",
        addresses: filledRows(rowsOf(draft["addresses"])).map(weightedAddress),
        tls: draft["tls"] === true,
      };
    case "response":
      return {
        kind: "response",
        status: Number(draft["response.status"]),
        contentType: textOf(draft["response.type"]),
        body: textOf(draft["response.body"]),
      };
    case "backend": {
      const id = textOf(draft["backend"]);
      return { kind: "backend", id, title: backends.get(id) ?? id };
    }
    default:
      return { kind: "tunnels", labels: readLabels(textOf(draft["tunnel"])) };
  }
}

function protectionOf(draft: Draft): Protection {
  const nested = moduleOf(draft);
  if (nested !== null) {
    const settings = bodyOf(nested.module, innerDraft(nested, draft), null);
    const { name, module } = nested;
    return { kind: "module", name, label: module.label, settings, shown: maskedBody(module, settings) };
  }
  if (draft["protection"] !== "networks") return { kind: "everyone" };
  const networks = textsOf(draft["networks"]).map((text) => {
    const read = readCidr(text);
    return "network" in read ? read.network : text;
  });
  return { kind: "networks", networks, policies: textsOf(draft["policies"]) };
}

function weightedAddress({ address = "", weight = "" }: Row): WeightedAddress {
  return { address: address.trim(), weight: weight.trim() === "" ? 1 : Number(weight) };
}

function rowLabels(rows: readonly Row[]): Labels {
  return Object.fromEntries(filledRows(rows).map(({ name = "", value = "" }) => [name.trim(), value.trim()]));
}
