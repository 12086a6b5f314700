// The certificate authorities of the client certificates that visitors must present.
import { counted } from "../../../model/format";
import { idsOf } from "../../form/values";
import { CERTIFICATE_AUTHORITIES } from "../../kinds/references";
import type { ModuleDescriptor } from "../descriptor";

export const mutualTls: ModuleDescriptor = {
  name: "mutual_tls",
  label: "Mutual TLS",
  about: "Visitors must present a certificate of one of these authorities in the TLS handshake.",
  owners: ["https_edge", "tls_edge"],
  stage: 40,
  trace: "mutual_tls",
  without: "Visitors need no certificate: anyone who knows the name can connect.",
  fields: [
    {
      kind: "references",
      name: "certificate_authority_ids",
      label: "Certificate authorities",
      help: "Any one of them is sufficient. A visitor without such a certificate gets a TLS alert and no page.",
      of: [CERTIFICATE_AUTHORITIES],
      maxItems: 10,
      required: true,
      read: (view) => idsOf(view["certificate_authorities"]),
    },
  ],
  summary: (view) => counted(idsOf(view["certificate_authorities"]).length, "authority", "authorities"),
};

export default [mutualTls];
