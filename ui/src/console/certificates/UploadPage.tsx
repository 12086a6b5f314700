// Uploads a certificate. The text is parsed at once in the page: chain, names, expiry, and whether the key matches.
import { useEffect, useState, type FormEvent } from "react";
import { asProblem } from "../../api/problem";
import { adviceFor } from "../../model/advice";
import { Button } from "../../parts/Button";
import { Field } from "../../parts/Field";
import { Icon } from "../../parts/Icon";
import { Notice, ProblemText } from "../../parts/Notice";
import { toast } from "../../parts/toast";
import { useNavigateTo } from "../address";
import { useApiMutation } from "../management";
import { byteLength } from "../resource/field";
import form from "../resource/form.module.css";
import { PageFrame } from "../resource/PageFrame";
import { RequestPreview } from "../resource/RequestPreview";
import styles from "./certificates.module.css";
import type { Match } from "./chain";
import { ChainParts, useChain } from "./ChainView";
import { tlsCertificates } from "./tlsCertificates";

const { path } = tlsCertificates;
const DESCRIPTION_BYTES = 255;

export default function UploadPage() {
  const go = useNavigateTo();
  const change = useApiMutation([path, "/status"]);
  const [certificate, setCertificate] = useState("");
  const [key, setKey] = useState("");
  const [description, setDescription] = useState("");
  const [tried, setTried] = useState(false);
  const chain = useChain(certificate);
  const match = useMatch(certificate, key);
  const problem = change.error && asProblem(change.error);

  const chainMistake =
    certificate.trim() === "" ? "The certificate is required." : (chain?.mistakes[0] ?? null);
  const keyMistake = key.trim() === "" ? "The private key is required." : matchError(match);
  const length = byteLength(description);
  const descriptionMistake =
    length > DESCRIPTION_BYTES ? `${length} bytes; at most ${DESCRIPTION_BYTES} are allowed.` : null;

  const body = {
    certificate_pem: certificate,
    private_key_pem: key,
    ...(description ? { description } : {}),
  };
  const send = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (chainMistake || keyMistake || descriptionMistake || change.isPending) return;
    change.mutate(
      { method: "POST", path, body },
      {
        onSuccess: ({ id }) => {
          toast({ title: "Certificate uploaded" });
          go(`${path}/${id}`);
        },
      },
    );
  };
  return (
    <PageFrame
      title="Upload a certificate"
      about="The text is parsed in this page. The private key is sent to the server once, stored encrypted, and never shown again."
      back={{ to: path, label: tlsCertificates.plural }}
    >
      <div className={form.frame}>
        <form className={form.form} noValidate onSubmit={send} aria-label="Upload a certificate">
          <div className={form.fields}>
            <Field
              label="Certificate chain"
              hint="In PEM: the certificate first, then its issuers."
              mistake={tried || certificate !== "" ? chainMistake : null}
            >
              {(inputProps) => (
                <textarea
                  {...inputProps}
                  className={`${inputProps.className} ${form.mono}`}
                  rows={8}
                  spellCheck={false}
                  placeholder="-----BEGIN CERTIFICATE-----"
                  value={certificate}
                  onChange={(event) => {
                    change.reset();
                    setCertificate(event.target.value);
                  }}
                />
              )}
            </Field>
            {chain && <ChainParts chain={{ ...chain, mistakes: chain.mistakes.slice(1) }} />}
            <Field
              label="Private key"
              hint="In PEM, not encrypted."
              mistake={tried || key !== "" ? keyMistake : null}
            >
              {(inputProps) => (
                <textarea
                  {...inputProps}
                  className={`${inputProps.className} ${form.mono} ${styles.secret}`}
                  rows={5}
                  spellCheck={false}
                  autoComplete="off"
                  placeholder="-----BEGIN PRIVATE KEY-----"
                  value={key}
                  onChange={(event) => {
                    change.reset();
                    setKey(event.target.value);
                  }}
                />
              )}
            </Field>
            {match === "belongs" && (
              <p className={styles.good} role="status">
                <Icon name="check" size={14} />
                The key matches the certificate.
              </p>
            )}
            {match === "unknown" && (
              <p className={styles.quiet} role="status">
                This page cannot check whether the key matches the certificate; the server does.
              </p>
            )}
            <Field label="Description" hint="Its purpose, for people." mistake={descriptionMistake}>
              {(inputProps) => (
                <input
                  {...inputProps}
                  value={description}
                  onChange={(event) => setDescription(event.target.value)}
                />
              )}
            </Field>
            {problem && (
              <Notice tone="bad" title="The server refused the request" alert>
                <ProblemText message={problem.message} advice={adviceFor(problem)} code={problem.code} />
              </Notice>
            )}
            <div className={form.actions}>
              <Button type="submit" weight="primary" busy={change.isPending}>
                Upload
              </Button>
              <Button onClick={() => go(path)}>Cancel</Button>
            </div>
          </div>
          <RequestPreview
            method="POST"
            path={path}
            body={body}
            shown={{ ...body, private_key_pem: key === "" ? "" : "••••••••" }}
          />
        </form>
      </div>
    </PageFrame>
  );
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
