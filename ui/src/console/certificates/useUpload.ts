// The upload of a certificate: its texts, what is wrong with them, and the request.
import { useEffect, useState } from "react";
import { asProblem } from "../../api/problem";
import { description as descriptionField } from "../form/fields";
import { MASK } from "../form/draft";
import { mistakesOf } from "../form/mistakes";
import { useApiMutation, type ChangedRecord } from "../management";
import type { Match } from "./chain";
import { useChain } from "./ChainView";
import { tlsCertificates } from "./tlsCertificates";

const { path } = tlsCertificates;
const DESCRIPTION = { fields: [descriptionField()] };

interface Upload {
  certificate: string;
  key: string;
  description: string;
}

export type UploadState = ReturnType<typeof useUpload>;

export function useUpload(onDone: (record: ChangedRecord) => void) {
  const mutation = useApiMutation([path, "/status"]);
  const [upload, setUpload] = useState<Upload>({ certificate: "", key: "", description: "" });
  const [tried, setTried] = useState(false);
  const { certificate, key, description } = upload;
  const chain = useChain(certificate);
  const match = useMatch(certificate, key);

  const chainMistake =
    certificate.trim() === "" ? "The certificate is required." : (chain?.mistakes[0] ?? null);
  const keyMistake = key.trim() === "" ? "The private key is required." : matchError(match);
  const descriptionMistake = mistakesOf(DESCRIPTION, { description }, null)["description"] ?? null;
  const body = {
    certificate_pem: certificate,
    private_key_pem: key,
    ...(description ? { description } : {}),
  };
  return {
    ...upload,
    chain,
    match,
    mistakes: {
      certificate: tried || certificate !== "" ? chainMistake : null,
      key: tried || key !== "" ? keyMistake : null,
      description: descriptionMistake,
    },
    body,
    masked: { ...body, private_key_pem: key === "" ? "" : MASK },
    problem: mutation.error && asProblem(mutation.error),
    isPending: mutation.isPending,
    change: (changes: Partial<Upload>) => {
      mutation.reset();
      setUpload((before) => ({ ...before, ...changes }));
    },
    send: () => {
      setTried(true);
      if (chainMistake || keyMistake || descriptionMistake || mutation.isPending) return;
      mutation.mutate({ method: "POST", path, body }, { onSuccess: onDone });
    },
  };
}

function matchError(match: Match | null): string | null {
  if (match === "other") return "This key belongs to another certificate.";
  return match !== null && typeof match === "object" ? match.mistake : null;
}

/** Whether the key matches the first certificate; null while there is nothing to report. */
function useMatch(certificate: string, key: string): Match | null {
  const [result, setResult] = useState<{ certificate: string; key: string; match: Match | null } | null>(
    null,
  );
  useEffect(() => {
    let active = true;
    if (key.trim() !== "")
      void import("./chain").then(async ({ matchKey, readChain }) => {
        const [leaf] = readChain(certificate, new Date()).certificates;
        const match = leaf ? await matchKey(leaf, key) : null;
        if (active) setResult({ certificate, key, match });
      });
    return () => {
      active = false;
    };
  }, [certificate, key]);
  return result?.certificate === certificate && result.key === key ? result.match : null;
}
