// Adds or edits a tunnel. Errors are shown at their fields; a refusal of the agent, above the buttons.
import { useState, type FormEvent } from "react";
import { asProblem } from "../api/problem";
import type { ConfiguredTunnel, Problem } from "../api/types";
import { adviceFor } from "../model/advice";
import {
  definitionOf,
  EMPTY_FORM,
  formOf,
  freeName,
  mistakesOf,
  type Mistakes,
  type TunnelForm,
} from "../model/tunnelForm";
import { Button } from "../parts/Button";
import { Dialog, DialogActions } from "../parts/Dialog";
import { Check } from "../parts/Check";
import { Choice } from "../parts/Choice";
import { Field, Input } from "../parts/Field";
import { Notice, ProblemText } from "../parts/Notice";
import { useServices } from "../services";
import styles from "./TunnelDialog.module.css";
import { KindFields } from "./KindFields";
import { ProtectionFields } from "./ProtectionFields";

interface TunnelDialogProps {
  tunnel?: ConfiguredTunnel;
  taken: readonly string[];
  onClose(): void;
}

export function TunnelDialog({ tunnel, taken, onClose }: TunnelDialogProps) {
  const { model } = useServices();
  const [form, setForm] = useState<TunnelForm>(() =>
    tunnel ? formOf(tunnel.name, tunnel.definition) : { ...EMPTY_FORM, name: freeName(taken) },
  );
  const [start, setStart] = useState(true);
  const [tried, setTried] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const set = (part: Partial<TunnelForm>) => setForm({ ...form, ...part });
  const found = mistakesOf(form, tunnel ? taken.filter((name) => name !== tunnel.name) : taken);
  const mistakes: Mistakes = tried ? found : {};

  const save = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setTried(true);
    setProblem(null);
    if (Object.keys(found).length > 0) {
      const element = event.currentTarget;
      // Once the errors are rendered, the first of them gets the focus.
      requestAnimationFrame(() => element.querySelector<HTMLElement>("[aria-invalid]")?.focus());
      return;
    }
    if (busy) return;
    setBusy(true);
    const name = form.name.trim();
    try {
      await model.api.save(name, definitionOf(form, tunnel?.definition));
      if (!tunnel && start) await model.api.start(name);
      onClose();
    } catch (thrown) {
      setProblem(asProblem(thrown));
      setBusy(false);
    }
  };

  return (
    <Dialog title={tunnel ? `Edit ${tunnel.name}` : "Add tunnel"} open onClose={onClose}>
      <form onSubmit={(event) => void save(event)} noValidate>
        <Field
          label="Local port or address"
          hint="For example 8080, or https://localhost:8443"
          mistake={mistakes.addr ?? null}
        >
          <Input
            value={form.addr}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => set({ addr: event.target.value })}
          />
        </Field>
        <Choice
          legend="Kind"
          value={form.kind}
          options={[
            { value: "http", label: "HTTP" },
            { value: "tcp", label: "TCP" },
            { value: "labelled", label: "For an edge" },
          ]}
          onChange={(kind) => set({ kind })}
        />
        <Field
          label="Name of the tunnel"
          hint={
            tunnel
              ? "The name cannot be changed; remove the tunnel and add it again to rename it."
              : "The name of the tunnel here and in the tray."
          }
          mistake={mistakes.name ?? null}
        >
          <Input
            value={form.name}
            readOnly={tunnel !== undefined}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => set({ name: event.target.value })}
          />
        </Field>
        <KindFields form={form} mistakes={mistakes} set={set} />
        {form.kind !== "labelled" && (
          <ProtectionFields
            form={form.protection}
            mistakes={mistakes.protection ?? {}}
            hasRequests={form.kind === "http"}
            set={(part) => setForm({ ...form, protection: { ...form.protection, ...part } })}
          />
        )}
        {!tunnel && <Check label="Start it now" checked={start} onChange={setStart} />}
        {problem && (
          <div className={styles.problem}>
            <Notice tone="bad" title="The agent did not accept this" alert>
              <ProblemText message={problem.message} advice={adviceFor(problem)} code={problem.code} />
            </Notice>
          </div>
        )}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button weight="primary" type="submit" icon="check" busy={busy}>
            {tunnel ? "Save" : start ? "Add and start" : "Add"}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
