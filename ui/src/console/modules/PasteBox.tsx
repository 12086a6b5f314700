// Values to copy to the provider of a login, and for SAML the whole metadata as a file.
import { Button, IconButton } from "../../parts/Button";
import { saveText } from "../../parts/save";
import { useCopy } from "../../services";
import { useServer } from "../edges/server";
import { Outward } from "../edges/Outward";
import type { Body, Draft, ModuleDescriptor } from "./descriptor";
import styles from "./ModuleForm.module.css";
import { REGISTRIES } from "./oauth";
import { pasteOf } from "./paste";
import { ownMetadata } from "./samlMetadata";
import { textOf } from "./words";

interface PasteBoxProps {
  module: ModuleDescriptor;
  draft: Draft;
  route: string;
  view: Body | null;
  address: string | null;
}

export function PasteBox({ module, draft, route, view, address }: PasteBoxProps) {
  const copy = useCopy();
  const { data: server } = useServer();
  if (!server) return null;
  const values = pasteOf(module, route, view, server);
  if (values.length === 0) return null;
  const registry = module.name === "oauth" ? REGISTRIES[textOf(draft["provider"])] : undefined;
  const metadata = module.name === "saml" && view ? ownMetadata(view) : null;
  return (
    <section className={styles.paste} aria-label="Values for the provider">
      <h3>Values for the provider</h3>
      <dl className={styles.values}>
        {values.map(({ label, value, help }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              <span className={styles.value}>
                <code tabIndex={0} role="region" aria-label={label}>
                  {value}
                </code>
                <IconButton icon="copy" label={`Copy ${label}`} onClick={() => void copy(value, label)} />
              </span>
              <span className={styles.help}>{help}</span>
            </dd>
          </div>
        ))}
      </dl>
      {registry && (
        <p className={styles.help}>
          Register an app at <Outward to={registry}>{new URL(registry).host}</Outward>.
        </p>
      )}
      {metadata && (
        <div className={styles.actions}>
          <Button
            icon="arrow"
            onClick={() => saveText(`${route}-metadata.xml`, metadata, "application/samlmetadata+xml")}
          >
            Download the metadata file
          </Button>
          <Button icon="copy" onClick={() => void copy(metadata, "The metadata")}>
            Copy the metadata
          </Button>
        </div>
      )}
      {view && address && (
        <p className={styles.help}>
          Then try it as a visitor: <Outward to={address}>{address}</Outward>
        </p>
      )}
      {module.name === "saml" && !view && (
        <p className={styles.help}>
          The certificate and the metadata file are available once the module is added.
        </p>
      )}
    </section>
  );
}
