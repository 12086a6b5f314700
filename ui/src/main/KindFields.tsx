// The fields of a tunnel that depend on its kind.
import type { Mistakes, TunnelForm } from "../model/tunnelForm";
import { Check } from "../parts/Check";
import { Choice } from "../parts/Choice";
import { Field, Input, TextArea } from "../parts/Field";

interface KindFieldsProps {
  form: TunnelForm;
  mistakes: Mistakes;
  set(part: Partial<TunnelForm>): void;
}

export function KindFields({ form, mistakes, set }: KindFieldsProps) {
  if (form.kind === "tcp") {
    return (
      <Field
        label="Public TCP address"
        hint="Leave it empty to get a free port."
        mistake={mistakes.remoteAddr ?? null}
      >
        <Input
          value={form.remoteAddr}
          placeholder="localhost:24010"
          spellCheck={false}
          onChange={(event) => set({ remoteAddr: event.target.value })}
        />
      </Field>
    );
  }
  if (form.kind === "labelled") {
    return (
      <Field
        label="Labels"
        hint="One key=value per line. Edges of the server select tunnels by labels."
        mistake={mistakes.labels ?? null}
      >
        <TextArea
          value={form.labels}
          placeholder="service=web"
          spellCheck={false}
          onChange={(event) => set({ labels: event.target.value })}
        />
      </Field>
    );
  }
  return (
    <>
      <Field
        label="Public name"
        hint="Leave empty for a generated name. “shop” becomes shop.<domain of the server>."
        mistake={mistakes.domain ?? null}
      >
        <Input
          value={form.domain}
          placeholder="shop"
          spellCheck={false}
          onChange={(event) => set({ domain: event.target.value })}
        />
      </Field>
      <Choice
        legend="Schemes"
        value={form.schemes}
        options={[
          { value: "https", label: "HTTPS" },
          { value: "http", label: "Plain HTTP" },
          { value: "both", label: "Both" },
        ]}
        onChange={(schemes) => set({ schemes })}
      />
      <Field
        label="Host header"
        hint="Empty forwards the public name. “rewrite” sends the local address; anything else is sent as written."
      >
        <Input
          value={form.hostHeader}
          spellCheck={false}
          onChange={(event) => set({ hostHeader: event.target.value })}
        />
      </Field>
      <Check
        label="Capture requests for the inspector"
        checked={form.inspect}
        onChange={(inspect) => set({ inspect })}
      />
    </>
  );
}
