// Values to copy to the provider of a login, and for SAML the whole metadata as a file.
import { Button, IconButton } from "../../parts/Button";
import { saveText } from "../../parts/save";
import { useCopy } from "../../services";
import { useServer } from "../edges/useServer";
import { ExternalLink } from "../edges/ExternalLink";
import type { Body, Draft } from "../form/field";
import type { ModuleDescriptor } from "./descriptor";
import styles from "./ModuleForm.module.css";
import { REGISTRIES } from "./descriptors/oauth";
import { providerValues } from "./providerValues";
import { routeMetadata } from "./samlMetadata";
import { textOf } from "../form/values";

interface PasteBoxProps {
  module: ModuleDescriptor;
  draft: Draft;
  route: string;
  view: Body | null;
  address: string | null;
}

export function ProviderValues({ module, draft, route, view, address }: PasteBoxProps) {
  const copy = useCopy();
  const { data: server } = useServer();
  if (!server) return null;
  const values = providerValues(module, route, view, server);
  if (values.length === 0) return null;
  const registry = module.name === "oauth" ? REGISTRIES[textOf(draft["provider"])] : undefined;
  const metadata = module.name === "saml" && view ? routeMetadata(view) : null;
  return (
    <section className={styles.paste} aria-label="Enter these at the provider">
      <h3>Enter these at the provider</h3>
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
          Register an app at <ExternalLink to={registry}>{new URL(registry).host}</ExternalLink>.
        </p>
      )}
      {metadata && (
        <div className={styles.actions}>
          <Button
            icon="import"
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
          Then try it as a visitor: <ExternalLink to={address}>{address}</ExternalLink>
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
