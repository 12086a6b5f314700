// The request that a form sends, for curl and as JSON, behind a button whose state is remembered. Secrets are masked
// until revealed.
import { useState } from "react";
import type { Method } from "../../api/request";
import { Button, IconButton } from "../../parts/Button";
import { Check } from "../../parts/Check";
import { useStored } from "../../parts/hooks";
import { Tabs } from "../../parts/Tabs";
import { useCopy } from "../../services";
import { useApiAddress } from "../management";
import styles from "./RequestPreview.module.css";

interface RequestPreviewProps {
  method: Method;
  path: string;
  body?: Record<string, unknown>;
  /** The body for display, with secrets masked. */
  shown?: Record<string, unknown>;
}

export function RequestPreview({ method, path, body, shown = body }: RequestPreviewProps) {
  const base = useApiAddress();
  const copy = useCopy();
  const [shows, setShows] = useStored("apiRequest", "hidden", ["hidden", "shown"]);
  const [form, setForm] = useState("curl");
  const [revealed, setRevealed] = useState(false);
  const secrets = JSON.stringify(body) !== JSON.stringify(shown);
  const visibleBody = revealed ? body : shown;
  const json = visibleBody === undefined ? "" : JSON.stringify(visibleBody, null, 2);
  const text = form === "curl" ? asCurl(method, `${base}${path}`, visibleBody) : json;
  if (shows === "hidden")
    return (
      <div className={styles.closed}>
        <Button weight="quiet" icon="code" aria-expanded={false} onClick={() => setShows("shown")}>
          Show API request
        </Button>
      </div>
    );
  return (
    <aside className={styles.preview} aria-label="API request" data-copyable>
      <header className={styles.header}>
        <h2 className={styles.title}>API request</h2>
        <Button weight="quiet" aria-expanded onClick={() => setShows("hidden")}>
          Hide
        </Button>
      </header>
      <Tabs
        label="Form of the request"
        value={form}
        onChange={setForm}
        items={[
          { value: "curl", label: "curl" },
          ...(body === undefined ? [] : [{ value: "json", label: "JSON" }]),
        ]}
      >
        <div className={styles.box}>
          <pre
            className={styles.text}
            tabIndex={0}
            role="region"
            aria-label={form === "curl" ? "curl command" : "JSON body"}
          >
            {text}
          </pre>
          <IconButton
            className={styles.copy}
            icon="copy"
            label={form === "curl" ? "Copy the curl command" : "Copy the JSON"}
            onClick={() => void copy(text, form === "curl" ? "The curl command" : "The JSON")}
          />
        </div>
        {secrets && <Check label="Include secrets" checked={revealed} onChange={setRevealed} />}
      </Tabs>
    </aside>
  );
}

/** A command for a POSIX shell; the key comes from its environment. */
export function asCurl(method: Method, url: string, body?: Record<string, unknown>): string {
  const lines = [
    `curl -X ${method} ${quoted(url)}`,
    `-H "Authorization: Bearer $POSTERN_API_KEY"`,
    `-H 'Service-Version: 2'`,
  ];
  if (body !== undefined)
    lines.push(`-H 'Content-Type: application/json'`, `--data ${quoted(JSON.stringify(body, null, 2))}`);
  return lines.join(" \\\n  ");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
