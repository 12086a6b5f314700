// A certificate chain, parsed in the page: each certificate below its issuer.
import { useEffect, useState } from "react";
import { Icon } from "../../parts/Icon";
import { exactly } from "../resource/cells";
import styles from "./certificates.module.css";
import type { Chain } from "./chain";
import { Expiry } from "./Expiry";

/** Parses the chain in a text; null until it is parsed. The parser is loaded with the first certificate. */
export function useChain(pem: string): Chain | null {
  const [read, setRead] = useState<{ pem: string; chain: Chain } | null>(null);
  useEffect(() => {
    let active = true;
    if (pem.trim() !== "")
      void import("./chain").then(({ readChain }) => {
        if (active) setRead({ pem, chain: readChain(pem, new Date()) });
      });
    return () => {
      active = false;
    };
  }, [pem]);
  return read?.pem === pem ? read.chain : null;
}

export function ChainView({ pem }: { pem: string }) {
  const chain = useChain(pem);
  return chain && <ChainParts chain={chain} />;
}

export function ChainParts({ chain: { certificates, mistakes, warnings } }: { chain: Chain }) {
  return (
    <div className={styles.chain}>
      {certificates.length > 0 && (
        <ol className={styles.parts} aria-label="Certificates of the chain">
          {certificates.map((certificate, index) => (
            <li key={certificate.serial + String(index)} className={styles.part}>
              <p className={styles.role}>{role(index, certificate.selfSigned, certificate.authority)}</p>
              <p className={styles.title}>{certificate.title}</p>
              <p className={styles.quiet}>
                {certificate.key}, issued by {certificate.issuer}
              </p>
              {certificate.names.length > 0 && <p className={styles.names}>{certificate.names.join(", ")}</p>}
              <p className={styles.quiet}>
                until {exactly(certificate.notAfter.toISOString())}{" "}
                <Expiry at={certificate.notAfter.toISOString()} />
              </p>
            </li>
          ))}
        </ol>
      )}
      {mistakes.map((mistake) => (
        <p key={mistake} className={styles.mistake}>
          <Icon name="cross" size={14} />
          {mistake}
        </p>
      ))}
      {warnings.map((warning) => (
        <p key={warning} className={styles.warning}>
          <Icon name="alert" size={14} />
          {warning}
        </p>
      ))}
    </div>
  );
}

function role(index: number, selfSigned: boolean, authority: boolean): string {
  if (index === 0) return selfSigned ? "Self-signed certificate" : "Certificate";
  return selfSigned ? "Root" : authority ? "Intermediate" : "Issuer";
}
