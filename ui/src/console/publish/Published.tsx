// What was published: its address, its records, and what remains to be done outside of the console.
import type { ReactNode } from "react";
import { Button } from "../../parts/Button";
import { Notice } from "../../parts/Notice";
import { State } from "../../parts/State";
import { useCopy } from "../../services";
import { useNavigateTo } from "../address";
import { ExternalLink } from "../edges/ExternalLink";
import { tunnelGroups } from "../kinds/backends";
import { recordQuery, useApiQuery } from "../management";
import { Copyable, RefLink } from "../resource/cells";
import { Section } from "../resource/PageFrame";
import { hostOf, type Labels } from "./plan";
import styles from "./publish.module.css";
import { summaryOf } from "./summary";
import type { PublishState } from "./usePublish";

/** Polling interval in milliseconds, while the tunnel is started elsewhere. */
const POLL_INTERVAL_MS = 2_000;

export function Published({ state }: { state: PublishState }) {
  const copy = useCopy();
  const go = useNavigateTo();
  const { address, answers, made, plan } = state;
  const [edge, route] = ["edge", "route"].map((key) => made.find((record) => record.key === key)?.id ?? "");
  return (
    <>
      <Notice tone="ok" title={`${hostOf(answers.hostport)} is published`} alert>
        <p className={styles.published}>
          <ExternalLink to={address}>{address}</ExternalLink>
          <Button icon="copy" onClick={() => void copy(address, "The address")}>
            Copy
          </Button>
        </p>
        <p>{summaryOf(answers)}</p>
      </Notice>
      <NextSteps state={state} />
      <Section title="Created">
        <ul className={styles.records}>
          {plan.uses.map(({ id, kind, name }) => (
            <li key={id}>
              {kind} <RefLink id={id}>{name}</RefLink> (it existed already)
            </li>
          ))}
          {made.map(({ key, kind, name, id }) => (
            <li key={key}>
              {kind}{" "}
              <RefLink id={id} parent={key === "route" ? (edge ?? null) : null}>
                {name}
              </RefLink>
            </li>
          ))}
        </ul>
      </Section>
      <div className={styles.actions}>
        <Button weight="primary" icon="arrow" onClick={() => go(`/edges/https/${edge}/routes/${route}`)}>
          Open the route
        </Button>
        <Button icon="add" onClick={state.discard}>
          Publish another service
        </Button>
      </div>
    </>
  );
}

/** What only the user can do; nothing where the service is complete. */
function NextSteps({ state: { address, answers, made, plan, server } }: { state: PublishState }) {
  const { hostport, protection, target } = answers;
  const host = hostOf(hostport);
  const steps: ReactNode[] = [];
  const isOwnName = host === server.domain || host.endsWith(`.${server.domain}`);
  if (!isOwnName) steps.push(<>Point the DNS record of {host} to this server.</>);
  if (target.kind === "tunnels") {
    const created = made.find(({ key }) => key === "group")?.id ?? plan.uses[0]?.id ?? "";
    steps.push(<Tunnels key="tunnels" group={created} labels={target.labels} />);
  }
  if (protection.kind === "module" && protection.name === "webhook_verification")
    steps.push(<>Enter {address} as the address of the webhook at the provider.</>);
  if (protection.kind === "module" && (protection.name === "oauth" || protection.name === "oidc"))
    steps.push(
      <>
        Register this redirect URI at the provider:{" "}
        <Copyable text={server.callback_url} what="the redirect URI" />
      </>,
    );
  if (steps.length === 0) return null;
  return (
    <Section title="Next steps">
      <ul className={styles.records}>
        {steps.map((step, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- the steps keep their order
          <li key={index}>{step}</li>
        ))}
      </ul>
    </Section>
  );
}

/** Whether a tunnel is there to serve the visitors, and how one is started. */
function Tunnels({ group, labels }: { group: string; labels: Labels }) {
  const { data } = useApiQuery(recordQuery(tunnelGroups, group, POLL_INTERVAL_MS));
  const count = data?.tunnels.length ?? 0;
  const flags = Object.entries(labels).map(([name, value]) => `--label ${name}=${value}`);
  const command = `postern tunnel ${flags.join(" ")} localhost:8080`;
  if (count > 0)
    return (
      <State tone="ok" icon="check">
        {count === 1 ? "One tunnel is connected" : `${count} tunnels are connected`}
      </State>
    );
  return (
    <>
      Start a tunnel with these labels beside the service; until then visitors get 503:{" "}
      <Copyable text={command} what="the command" />
    </>
  );
}
