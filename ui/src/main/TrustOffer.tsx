// Offered once, when the first HTTPS address appears: trust the local certificate authority on this computer.
import { useState } from "react";
import type { DesktopState, TrustOutcome } from "../api/desktop.generated";
import { Button } from "../parts/Button";
import { Notice } from "../parts/Notice";
import { toast } from "../parts/toast";
import { attempt, useAgent, useServices } from "../services";
import styles from "./ProgramNotices.module.css";

export function TrustOffer({ desktop }: { desktop: DesktopState | null }) {
  const { host } = useServices();
  const { tunnels } = useAgent();
  const [busy, setBusy] = useState(false);
  const secure = tunnels.find(
    ({ state, public_url }) => state === "running" && public_url?.startsWith("https://"),
  );
  if (!host.desktop || !desktop || !secure || desktop.server.mode !== "local") return null;
  const { offered, trusted } = desktop.authority;
  if (offered || trusted.system || trusted.browsers) return null;
  const { desktop: app } = host;

  const trust = async () => {
    setBusy(true);
    await changeTrust("The certificate authority could not be trusted", () => app.trustAuthority("both"));
    setBusy(false);
  };
  return (
    <div className={styles.notices}>
      <Notice
        tone="info"
        title="Trust the local certificate authority?"
        actions={
          <>
            <Button weight="primary" icon="lock" busy={busy} onClick={() => void trust()}>
              Trust
            </Button>
            <Button
              onClick={() => void attempt("The choice could not be saved", () => app.dismissTrustOffer())}
            >
              Not now
            </Button>
          </>
        }
      >
        <TrustMeaning>You can undo this in Settings at any time.</TrustMeaning>
      </Notice>
    </div>
  );
}

/** Changes the trust and reports each step that succeeded or failed. */
export async function changeTrust(what: string, change: () => Promise<TrustOutcome>): Promise<void> {
  await attempt(what, async () => {
    const { done, failed } = await change();
    if (done.length > 0) toast({ title: "Trust changed", detail: done.join(" ") });
    if (failed.length > 0)
      toast({
        title: done.length > 0 ? "Some steps failed" : what,
        detail: failed.join(" "),
        tone: "bad",
      });
  });
}

/** What trusting the authority means; shown in the offer and in the settings. */
export function TrustMeaning({ children }: { children?: string }) {
  return (
    <p>
      Until it is trusted, browsers warn about HTTPS addresses of the local server. Their certificates come
      from an authority created on this computer; its key never leaves it. Once it is trusted, anyone with
      that key can impersonate any site on this computer, so keep its folder private. {children}
    </p>
  );
}
