// Edits a request and replays it repeatedly, with every response beside it.
import { useEffect, useState, type KeyboardEvent } from "react";
import type { Summary } from "../api/types";
import {
  bodyText,
  replayDraftOf,
  MAX_EDITABLE_BYTES,
  draftProblem,
  replayOf,
  type ReplayDraft,
} from "../model/replayDraft";
import type { Detail } from "../model/details";
import { tunnelName } from "../model/filter";
import { size } from "../model/format";
import { Button, IconButton } from "../parts/Button";
import { Choice } from "../parts/Choice";
import { Field, Input, TextArea } from "../parts/Field";
import { Select } from "../parts/Select";
import { attempt, useAgent, useServices } from "../services";
import { ReplayResponses } from "./ReplayResponses";
import { HeaderFields } from "./HeaderFields";
import styles from "./ReplayEditor.module.css";

const TARGETS = [
  { value: "local", label: "To the local service" },
  { value: "edge", label: "Through the edge" },
] as const;

const TARGET_HELP = {
  local: "Directly to the local service of the tunnel, without the modules of the edge.",
  edge: "To the public address, through all modules, like any visitor.",
} as const;

interface ReplayEditorProps {
  summary: Summary;
  detail: Detail;
  onClose(): void;
  onSelect(id: string): void;
}

export function ReplayEditor({ summary, detail, onClose, onSelect }: ReplayEditorProps) {
  const { model } = useServices();
  const [draft, setDraft] = useState<ReplayDraft>(() => replayDraftOf(detail));
  const [sending, setSending] = useState(false);
  const [latest, setLatest] = useState<string | null>(null);
  const wrong = draftProblem(draft, detail);
  const change = (part: Partial<ReplayDraft>) => setDraft({ ...draft, ...part });

  const send = async () => {
    if (wrong !== null || sending) return;
    setSending(true);
    await attempt("The request could not be sent", async () => {
      setLatest(await model.api.replay(replayOf(summary.id, draft, detail)));
    });
    setSending(false);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void send();
    } else if (event.key === "Escape" && !event.defaultPrevented) {
      event.preventDefault();
      onClose();
    }
  };

  return (
    // Handles the keys of the inputs inside.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div className={styles.editor} onKeyDown={onKey}>
      <form
        className={styles.form}
        aria-label="Edit and replay"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <div className={styles.bar}>
          <h3>Edit and replay</h3>
          <Button
            weight="quiet"
            icon="refresh"
            title="Back to the request as it was captured"
            onClick={() => setDraft(replayDraftOf(detail))}
          >
            Reset
          </Button>
          <IconButton label="Close the editor" icon="close" onClick={onClose} />
        </div>
        <div className={styles.fields}>
          <div className={styles.target}>
            <Field label="Method">
              <Input
                // The user has just opened this form.
                // oxlint-disable-next-line jsx-a11y/no-autofocus
                autoFocus
                spellCheck={false}
                value={draft.method}
                onChange={(event) => change({ method: event.target.value })}
              />
            </Field>
            <Field label="Path and query">
              <Input
                spellCheck={false}
                value={draft.path}
                onChange={(event) => change({ path: event.target.value })}
              />
            </Field>
          </div>
          <Choice
            legend="Target"
            value={draft.through}
            options={TARGETS}
            onChange={(through) => change({ through })}
          />
          <p className={styles.explained}>{TARGET_HELP[draft.through]}</p>
          <TunnelField summary={summary} tunnel={draft.tunnel} onChange={(tunnel) => change({ tunnel })} />
          <HeaderFields headers={draft.headers} onChange={(headers) => change({ headers })} />
          <BodyField detail={detail} body={draft.body} onChange={(body) => change({ body })} />
        </div>
        <div className={styles.foot}>
          <p role="status">{wrong ?? ""}</p>
          <Button
            weight="primary"
            icon="replay"
            type="submit"
            busy={sending}
            disabled={wrong !== null}
            title="Send (Ctrl+Enter)"
          >
            Send
          </Button>
        </div>
      </form>
      <ReplayResponses of={summary.id} latest={latest} onSelect={onSelect} />
    </div>
  );
}

interface BodyFieldProps {
  detail: Detail;
  body: string | null;
  onChange(body: string | null): void;
}

function BodyField({ detail, body, onChange }: BodyFieldProps) {
  const original = useOriginal(detail);
  if (original === undefined) return <p className={styles.explained}>Loading the body…</p>;
  if (body === null && original === null) {
    return (
      <div className={styles.binary}>
        <p>
          The body ({size(detail.request.bodySize)}) is compressed, not text or too long to edit. It is sent
          as captured.
        </p>
        <Button onClick={() => onChange("")}>Write another body</Button>
      </div>
    );
  }
  return (
    <Field label="Body">
      <TextArea
        className={styles.body}
        spellCheck={false}
        rows={6}
        value={body ?? original ?? ""}
        onChange={(event) => onChange(event.target.value === original ? null : event.target.value)}
      />
    </Field>
  );
}

/** The captured body as text; null where it cannot be edited, undefined until it has been read. */
function useOriginal(detail: Detail): string | null | undefined {
  const { model } = useServices();
  const [original, setOriginal] = useState<string | null>();
  useEffect(() => {
    let active = true;
    model.details.body(detail.captured.id, "request", MAX_EDITABLE_BYTES).then(
      (bytes) => active && setOriginal(bodyText(detail, bytes)),
      () => active && setOriginal(null),
    );
    return () => {
      active = false;
    };
  }, [model, detail]);
  return original;
}

interface TunnelFieldProps {
  summary: Summary;
  tunnel: string | null;
  onChange(tunnel: string | null): void;
}

function TunnelField({ summary, tunnel, onChange }: TunnelFieldProps) {
  const { tunnels } = useAgent();
  const own = tunnelName(summary.tunnel_name);
  const others = tunnels.filter(
    ({ name, state, definition }) =>
      name !== own && state === "running" && !["tcp", "tls"].includes(definition.proto ?? ""),
  );
  if (others.length === 0) return null;
  return (
    <Field label="Tunnel">
      <Select
        value={tunnel ?? ""}
        options={[
          { value: "", label: `${own}, where it came through` },
          ...others.map(({ name }) => ({ value: name, label: name })),
        ]}
        onChange={(name) => onChange(name || null)}
      />
    </Field>
  );
}
