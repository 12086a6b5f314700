// All TLS certificates: their expiry on a time axis, then the table.
import { counted } from "../../model/format";
import { Button } from "../../parts/Button";
import { useNow } from "../../parts/hooks";
import { useNavigateTo } from "../address";
import { allQuery, useApiQuery } from "../management";
import { expiry, expiryTone } from "../overview/remarks";
import { Empty } from "../resource/ListPage";
import { PageFrame } from "../resource/PageFrame";
import { ResourceTable } from "../resource/ResourceTable";
import styles from "./certificates.module.css";
import { timeline } from "./timeline";
import { namesOf, tlsCertificates } from "./tlsCertificates";
import { unnamed } from "../../model/ids";

const kind = tlsCertificates;

export default function CertificatesPage() {
  const go = useNavigateTo();
  const create = (
    <Button weight="primary" icon="add" onClick={() => go(`${kind.path}/new`)}>
      Upload a certificate
    </Button>
  );
  return (
    <PageFrame title={kind.plural} about={kind.about} actions={create}>
      <Timeline />
      <ResourceTable kind={kind} isPage empty={<Empty kind={kind} action={create} />} />
    </PageFrame>
  );
}

function Timeline() {
  const now = useNow(60_000);
  const go = useNavigateTo();
  const certificates = useApiQuery(allQuery(tlsCertificates)).data?.records ?? [];
  if (certificates.length === 0) return null;
  const { reach, marks } = timeline(certificates, ({ not_after }) => not_after, now);
  return (
    <section className={styles.timeline} aria-label="When certificates expire">
      <ol className={styles.line}>
        {marks.map(({ of, at }) => {
          const [first] = of;
          if (!first) return null;
          const tone = expiryTone(first.not_after, now);
          const name = namesOf(first)[0] ?? unnamed(first.id);
          const words = of.length === 1 ? name : `${name} and ${counted(of.length - 1, "more", "more")}`;
          return (
            <li
              key={first.id}
              className={styles.mark}
              ref={(mark) => mark?.style.setProperty("--at", String(at))}
            >
              <button
                type="button"
                className={`${styles.dot} ${styles[tone]}`}
                aria-label={`${words}: ${expiry(first.not_after, now)}`}
                title={`${words}: ${expiry(first.not_after, now)}`}
                onClick={() => go(`${kind.path}/${first.id}`)}
              >
                {of.length > 1 ? of.length : tone === "ok" ? "" : "!"}
              </button>
            </li>
          );
        })}
      </ol>
      <p className={styles.ends} aria-hidden="true">
        <span>now</span>
        <span>in {reach.label}</span>
      </p>
    </section>
  );
}
