// The request that a form sends: for curl and as JSON. Secrets are masked until revealed.
import { useState } from "react";
import type { Method } from "../../api/request";
import { Button, IconButton } from "../../parts/Button";
import { Check } from "../../parts/Check";
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
  const [open, setOpen] = useState(true);
  const [form, setForm] = useState("curl");
  const [revealed, setRevealed] = useState(false);
  const secrets = JSON.stringify(body) !== JSON.stringify(shown);
  const visibleBody = revealed ? body : shown;
  const json = visibleBody === undefined ? "" : JSON.stringify(visibleBody, null, 2);
  const text = form === "curl" ? asCurl(method, `${base}${path}`, visibleBody) : json;
  return (
    <aside className={styles.preview} aria-label="API request">
      <header className={styles.header}>
        <h2 className={styles.title}>API request</h2>
        <Button weight="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? "Hide" : "Show"}
        </Button>
      </header>
      {open && (
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
      )}
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
