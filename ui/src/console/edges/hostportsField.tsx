// The names and addresses of an edge, one per line, validated as far as possible without the server.
import { useState } from "react";
import { Field as Labelled } from "../../parts/Field";
import { entries } from "../modules/inputs/TextInputs";
import type { Field, InputProps } from "../resource/field";
import { useServer } from "./useServer";

export type ListenOn = "names" | "addresses";

/** The maximum for one edge. */
const MAX_HOSTPORTS = 100;

interface HostportsField extends Field<readonly string[]> {
  listens: ListenOn;
}

export function hostports(listens: ListenOn): Field {
  const field: HostportsField = {
    name: "hostports",
    label: listens === "names" ? "Names" : "Addresses",
    listens,
    read: (record) => (record as { hostports?: string[] }).hostports ?? [],
    initial: () => [],
    write: (value) => [...value],
    check: wrongHostports,
    Input: HostportsInput,
  };
  return field;
}

export function wrongHostports(value: readonly string[]): string | null {
  if (value.length > MAX_HOSTPORTS) return `At most ${MAX_HOSTPORTS} are allowed; there are ${value.length}.`;
  for (const text of value) {
    const [, host, port] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
    if (!host || !port) return `“${text}” has no port: write it like ${text.replace(/:.*$/, "")}:443.`;
    if (Number(port) < 1 || Number(port) > 65_535) return `“${text}” has no port from 1 to 65535.`;
    if (/[\s/@?#]/.test(host)) return `“${text}” is not a name with a port.`;
  }
  return null;
}

function HostportsInput({ field, value, mistake, onChange }: InputProps<readonly string[]>) {
  const { listens } = field as HostportsField;
  const { data: server } = useServer();
  // The text is kept as typed.
  const [typed, setTyped] = useState(value.join("\n"));
  const same = entries(typed).join("\n") === value.join("\n");
  const domain = server?.domain ?? "example.com";
  const [first, last] = [server?.first_tcp_port ?? 24_000, server?.last_tcp_port ?? 24_999];
  const hint =
    listens === "names"
      ? `One per line: a name and port 443. Names below ${domain} work at once; others need a DNS record that points to this server.`
      : `One per line: ${domain} and a port from ${first} to ${last}.`;
  return (
    <Labelled label={field.label} mistake={mistake} hint={hint}>
      {(inputProps) => (
        <textarea
          {...inputProps}
          rows={Math.min(8, Math.max(2, value.length + 1))}
          value={same ? typed : value.join("\n")}
          placeholder={listens === "names" ? `shop.${domain}:443` : `${domain}:${first}`}
          spellCheck={false}
          onChange={(event) => {
            setTyped(event.target.value);
            onChange(entries(event.target.value));
          }}
        />
      )}
    </Labelled>
  );
}
