// Uploads a certificate. The text is parsed at once in the page: chain, names, expiry, and whether the key matches.
import { useRef, type FormEvent } from "react";
import { adviceFor } from "../../model/advice";
import { Button } from "../../parts/Button";
import { Field, Input, TextArea } from "../../parts/Field";
import { Icon } from "../../parts/Icon";
import { Notice, ProblemText } from "../../parts/Notice";
import { toast } from "../../parts/toast";
import { useNavigateTo } from "../address";
import form from "../form/form.module.css";
import { useOpeningFocus } from "../form/useOpeningFocus";
import { PageFrame } from "../resource/PageFrame";
import { RequestPreview } from "../resource/RequestPreview";
import styles from "./certificates.module.css";
import { ChainParts } from "./ChainView";
import { tlsCertificates } from "./tlsCertificates";
import { useUpload, type UploadState } from "./useUpload";

const { path } = tlsCertificates;

export default function UploadPage() {
  const go = useNavigateTo();
  const upload = useUpload(({ id }) => {
    toast({ title: "Certificate uploaded" });
    go(`${path}/${id}`);
  });
  const { problem } = upload;
  const element = useRef<HTMLFormElement>(null);
  useOpeningFocus(element, { name: "certificate" });
  const send = (event: FormEvent) => {
    event.preventDefault();
    upload.send();
  };
  return (
    <PageFrame
      title="Upload a certificate"
      about="The certificate is checked in your browser. The private key is sent to the server once, stored encrypted, and never shown again."
      back={{ to: path, label: tlsCertificates.plural }}
    >
      <div className={form.frame}>
        <form
          ref={element}
          className={form.form}
          noValidate
          onSubmit={send}
          aria-label="Upload a certificate"
        >
          <div className={form.fields}>
            <CertificateFields upload={upload} />
            <Field label="Description" hint="Shown in lists." mistake={upload.mistakes.description}>
              <Input
                value={upload.description}
                onChange={(event) => upload.change({ description: event.target.value })}
              />
            </Field>
            {problem && (
              <Notice tone="bad" title="The server refused the request" alert>
                <ProblemText message={problem.message} advice={adviceFor(problem)} code={problem.code} />
              </Notice>
            )}
            <div className={form.actions}>
              <Button type="submit" weight="primary" busy={upload.isPending}>
                Upload
              </Button>
              <Button onClick={() => go(path)}>Cancel</Button>
            </div>
          </div>
          <RequestPreview method="POST" path={path} body={upload.body} shown={upload.masked} />
        </form>
      </div>
    </PageFrame>
  );
}

/** The chain and its key, each with what is found in it. */
function CertificateFields({ upload }: { upload: UploadState }) {
  const { certificate, key, chain, match, mistakes, change } = upload;
  return (
    <>
      <div data-field="certificate">
        <Field
          label="Certificate chain"
          hint="PEM format: the certificate first, then its issuers."
          mistake={mistakes.certificate}
        >
          <TextArea
            rows={8}
            spellCheck={false}
            placeholder="-----BEGIN CERTIFICATE-----"
            value={certificate}
            onChange={(event) => change({ certificate: event.target.value })}
          />
        </Field>
      </div>
      {chain && <ChainParts chain={{ ...chain, mistakes: chain.mistakes.slice(1) }} />}
      <Field label="Private key" hint="PEM format, not encrypted." mistake={mistakes.key}>
        <TextArea
          className={styles.secret}
          rows={5}
          spellCheck={false}
          autoComplete="off"
          placeholder="-----BEGIN PRIVATE KEY-----"
          value={key}
          onChange={(event) => change({ key: event.target.value })}
        />
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
    </>
  );
}
