// Certificates that the server obtains for a reserved domain: on, off, and the progress.
import { asProblem } from "../../api/problem";
import type { ReservedDomain } from "../../api/generated";
import { adviceFor } from "../../model/advice";
import { Button } from "../../parts/Button";
import { Notice, ProblemText } from "../../parts/Notice";
import { toast } from "../../parts/toast";
import { useApiMutation } from "../management";
import { Moment, Mono } from "../resource/cells";
import { Facts, Section } from "../resource/PageFrame";

const PATH = "/reserved_domains";

export function DomainCertificate({ record }: { record: ReservedDomain }) {
  const change = useApiMutation([PATH]);
  const { certificate_management_policy: policy, certificate_management_status: status } = record;
  const problem = change.error && asProblem(change.error);
  const job = status?.provisioning_job;
  return (
    <Section
      title="Automatic certificate"
      about="The server can obtain and renew a certificate if it can be reached from the internet under this name."
      actions={
        policy ? (
          <Button
            busy={change.isPending}
            onClick={() =>
              change.mutate(
                { method: "DELETE", path: `${PATH}/${record.id}/certificate_management_policy` },
                { onSuccess: () => toast({ title: "The server no longer obtains certificates" }) },
              )
            }
          >
            Stop
          </Button>
        ) : (
          <Button
            busy={change.isPending}
            onClick={() =>
              change.mutate(
                {
                  method: "PATCH",
                  path: `${PATH}/${record.id}`,
                  body: {
                    certificate_management_policy: { authority: "letsencrypt", private_key_type: "ecdsa" },
                  },
                },
                { onSuccess: () => toast({ title: "The server obtains a certificate" }) },
              )
            }
          >
            Obtain a certificate
          </Button>
        )
      }
    >
      {problem && (
        <Notice tone="bad" title="The server refused the request" alert>
          <ProblemText message={problem.message} advice={adviceFor(problem)} code={problem.code} />
        </Notice>
      )}
      {policy ? (
        <Facts
          facts={[
            { label: "Certificate authority", value: policy.authority },
            { label: "Key", value: policy.private_key_type },
            { label: "Renewed", value: <Moment at={status?.renews_at} none="not yet" upcoming /> },
            ...(job ? [{ label: "Progress", value: job.msg || "requesting" }] : []),
            ...(record.acme_challenge_cname_target
              ? [
                  {
                    label: "_acme-challenge points to",
                    value: <Mono>{record.acme_challenge_cname_target}</Mono>,
                  },
                ]
              : []),
          ]}
        />
      ) : (
        <p>Automatic renewal is not set up for this domain.</p>
      )}
    </Section>
  );
}
