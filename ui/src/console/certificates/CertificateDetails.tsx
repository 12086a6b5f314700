// On a certificate's page: its chain parsed from the PEM, and the names that use it.
import { collection } from "../../api/management";
import type { TlsCertificate } from "../../api/generated";
import { useCopy } from "../../services";
import { Button } from "../../parts/Button";
import { allQuery, useApiQuery } from "../management";
import { RefLink } from "../resource/cells";
import { Section } from "../resource/PageFrame";
import { ChainView } from "./ChainView";
import { certificateCovers } from "./certificateCovers";
import styles from "./certificates.module.css";
import { namesOf } from "./tlsCertificates";

const ENDPOINTS = collection("/endpoints");

export function CertificateDetails({ record: certificate }: { record: TlsCertificate }) {
  const copy = useCopy();
  const names = namesOf(certificate);
  const endpoints = useApiQuery(allQuery(ENDPOINTS)).data;
  const covered = endpoints?.records.filter(({ host }) =>
    names.some((name) => certificateCovers(name, host)),
  );
  return (
    <>
      <Section
        title="Chain"
        actions={
          <Button icon="copy" onClick={() => void copy(certificate.certificate_pem, "The chain")}>
            Copy as PEM
          </Button>
        }
      >
        <ChainView pem={certificate.certificate_pem} />
      </Section>
      <Section
        title="Used by"
        about="Addresses for which it is valid. If several certificates match, the most specific one is served, then the newest."
      >
        {covered && covered.length > 0 ? (
          <ul className={styles.users}>
            {covered.map((endpoint) => (
              <li key={endpoint.id}>
                {endpoint.public_url || endpoint.hostport}{" "}
                {endpoint.edge && <RefLink id={endpoint.edge.id}>edge</RefLink>}
                {endpoint.tunnel && <RefLink id={endpoint.tunnel.id}>tunnel</RefLink>}
              </li>
            ))}
          </ul>
        ) : (
          <p className={styles.quiet}>
            {covered ? "No published address has one of its names." : "Searching…"}
          </p>
        )}
      </Section>
    </>
  );
}
