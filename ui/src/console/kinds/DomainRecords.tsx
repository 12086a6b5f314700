// Records in DNS that a reserved domain needs: to copy, with what name servers answer now.
import type { DomainRecord, ReservedDomain } from "../../api/generated";
import { Button, IconButton } from "../../parts/Button";
import { Icon } from "../../parts/Icon";
import { PlainTable } from "../../parts/PlainTable";
import { Prose } from "../../parts/Prose";
import { useCopy } from "../../services";
import { apiQuery, useApiQuery } from "../management";
import { Section } from "../resource/PageFrame";
import { Failure } from "../shell/PageStates";
import styles from "./DomainRecords.module.css";

const PATH = "/reserved_domains";

const recordsOf = (id: string) =>
  apiQuery<readonly DomainRecord[]>(
    [PATH, "dns_records", id],
    async (api) => (await api.request("GET", `${PATH}/{id}/dns_records`, { id })).dns_records,
  );

export function DomainRecords({ record }: { record: ReservedDomain }) {
  const query = useApiQuery(recordsOf(record.id));
  return (
    <Section
      title="DNS records"
      about="What must exist where the domain's DNS is managed, and what name servers answer now."
      actions={
        <Button busy={query.isFetching} onClick={() => void query.refetch()}>
          Check again
        </Button>
      }
    >
      {query.isError ? (
        <Failure thrown={query.error} title="The records could not be checked" />
      ) : query.data === undefined ? (
        <p role="status">Looking up the records…</p>
      ) : query.data.length === 0 ? (
        <p>A name on this machine needs no records.</p>
      ) : (
        <RecordTable records={query.data} />
      )}
    </Section>
  );
}

function RecordTable({ records }: { records: readonly DomainRecord[] }) {
  return (
    <PlainTable label="Table of DNS records" columns={["Type", "Name", "Value", "Now"]}>
      {records.map((record) => (
        <tr key={`${record.type} ${record.name}`}>
          <td>{record.type}</td>
          <td>
            <Copied text={record.name} what="The name" />
          </td>
          <td>
            {record.values.map((value) => (
              <Copied key={value} text={value} what="The value" />
            ))}
          </td>
          <td>
            <span className={`${styles.state} ${record.ok ? styles.right : styles.wrong}`}>
              <Icon name={record.ok ? "check" : "alert"} size={14} />
              <span>
                <Prose text={record.msg} />
              </span>
            </span>
            {record.found.length > 0 && <span className={styles.found}>{record.found.join(", ")}</span>}
          </td>
        </tr>
      ))}
    </PlainTable>
  );
}

function Copied({ text, what }: { text: string; what: string }) {
  const copy = useCopy();
  return (
    <span className={styles.copied}>
      <code>{text}</code>
      <IconButton label={`Copy ${text}`} icon="copy" onClick={() => void copy(text, what)} />
    </span>
  );
}
