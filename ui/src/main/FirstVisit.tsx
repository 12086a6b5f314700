// The step after the first tunnel: sends a sample request through its public address, so that one is captured.
import { useState } from "react";
import type { ConfiguredTunnel, Problem } from "../api/types";
import { asProblem } from "../api/problem";
import { adviceFor } from "../model/advice";
import { Button } from "../parts/Button";
import { useStored } from "../parts/hooks";
import { Notice, ProblemText } from "../parts/Notice";
import { useAgent, useServices } from "../services";

interface FirstVisitProps {
  tunnels: readonly ConfiguredTunnel[];
  /** Whether a visitor has already sent a request. */
  visited: boolean;
  /** Shows the first request of a tunnel. */
  onFirst(name: string): void;
}

export function FirstVisit({ tunnels, visited, onFirst }: FirstVisitProps) {
  const { model } = useServices();
  const { status } = useAgent();
  const [step, setStep] = useStored("first-visit", "open", ["open", "done"]);
  const [busy, setBusy] = useState(false);
  const [sampleStatus, setSampleStatus] = useState<number | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);

  const [first] = tunnels;
  const page = tunnels.length === 1 && first?.state === "running" && first.public_url?.startsWith("http");
  const untouched = !visited && (status?.capture.count ?? 0) === 0;
  if (!first || !page || step === "done" || !(untouched || sampleStatus !== null || problem)) return null;

  const send = async () => {
    setBusy(true);
    setProblem(null);
    try {
      setSampleStatus(await model.api.sample(first.name));
    } catch (thrown) {
      setProblem(asProblem(thrown));
    }
    setBusy(false);
  };
  const leave = () => setStep("done");

  if (sampleStatus !== null) {
    return (
      <Notice
        tone="ok"
        title="The first request has arrived"
        actions={
          <>
            <Button
              weight="primary"
              icon="list"
              onClick={() => {
                onFirst(first.name);
                leave();
              }}
            >
              Show it
            </Button>
            <Button onClick={leave}>Done</Button>
          </>
        }
        alert
      >
        <p>
          It went to the public address and back, with the response {sampleStatus}. It is in the list of
          requests: select it to see the whole exchange.
        </p>
      </Notice>
    );
  }
  return (
    <Notice
      tone={problem ? "bad" : "info"}
      title={problem ? "The sample request did not arrive" : `${first.name} is published`}
      actions={
        <>
          <Button weight="primary" icon="arrow" busy={busy} onClick={() => void send()}>
            {problem ? "Send it again" : "Send a sample request"}
          </Button>
          <Button onClick={leave}>Skip</Button>
        </>
      }
      alert={problem !== null}
    >
      {problem ? (
        <ProblemText message={problem.message} advice={adviceFor(problem)} code={problem.code} />
      ) : (
        <p>Send a request to its public address, as a visitor would, and inspect it here.</p>
      )}
    </Notice>
  );
}
