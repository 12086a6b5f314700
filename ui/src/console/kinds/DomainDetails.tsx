// On a reserved domain's page: its DNS records, and its certificate.
import type { ReservedDomain } from "../../api/generated";
import { DomainCertificate } from "./DomainCertificate";
import { DomainRecords } from "./DomainRecords";

export function DomainDetails({ record }: { record: ReservedDomain }) {
  return (
    <>
      <DomainRecords record={record} />
      <DomainCertificate record={record} />
    </>
  );
}
