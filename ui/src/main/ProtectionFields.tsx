// Who may use a tunnel: the fields of its form about visitors.
import { ALL_LOGIN_PROVIDERS, OTHER_PROVIDER } from "../model/loginProviders";
import {
  secretKind,
  type Admission,
  type ProtectionForm,
  type ProtectionMistakes,
  type User,
} from "../model/tunnelProtection";
import { WEBHOOK_PROVIDERS } from "../model/webhookProviders";
import { Button, IconButton } from "../parts/Button";
import { Choice } from "../parts/Choice";
import { Field, Group, Input, TextArea } from "../parts/Field";
import { Select } from "../parts/Select";
import styles from "./ProtectionFields.module.css";

interface ProtectionFieldsProps {
  form: ProtectionForm;
  mistakes: ProtectionMistakes;
  /** Whether the tunnel serves requests; connections have nothing but an address. */
  hasRequests: boolean;
  set(part: Partial<ProtectionForm>): void;
}

const ADMISSIONS: readonly { value: Admission; label: string }[] = [
  { value: "everyone", label: "Everyone" },
  { value: "password", label: "Password" },
  { value: "login", label: "Login" },
  { value: "webhook", label: "Webhook" },
];

export function ProtectionFields({ form, mistakes, hasRequests, set }: ProtectionFieldsProps) {
  return (
    <>
      {hasRequests && (
        <Choice
          legend="Who is admitted"
          value={form.admission}
          options={ADMISSIONS}
          onChange={(admission) => set({ admission })}
        />
      )}
      {hasRequests && form.admission === "password" && <Users form={form} mistakes={mistakes} set={set} />}
      {hasRequests && form.admission === "login" && <Login form={form} mistakes={mistakes} set={set} />}
      {hasRequests && form.admission === "webhook" && <Webhook form={form} mistakes={mistakes} set={set} />}
      <Field
        label="Allowed networks"
        hint="One address or range per line. Leave empty to admit all networks."
        mistake={mistakes.networks ?? null}
      >
        <TextArea
          className={styles.short}
          value={form.networks}
          placeholder="203.0.113.0/24"
          rows={2}
          spellCheck={false}
          onChange={(event) => set({ networks: event.target.value })}
        />
      </Field>
    </>
  );
}

type PartProps = Pick<ProtectionFieldsProps, "form" | "mistakes" | "set">;

function Users({ form, mistakes, set }: PartProps) {
  const change = (at: number, part: Partial<User>) =>
    set({ users: form.users.map((user, place) => (place === at ? { ...user, ...part } : user)) });
  return (
    <div className={styles.users}>
      <Group
        label="Users"
        hint="Passwords have 8 characters or more. *** is a password that is kept as it is."
        mistake={mistakes.users ?? null}
      >
        {form.users.map((user, at) => (
          // Users have no identity other than their position.
          // oxlint-disable-next-line react/no-array-index-key
          <div key={at} className={styles.user}>
            <Input
              aria-label={`User name ${at + 1}`}
              aria-invalid={mistakes.users !== undefined || undefined}
              value={user.name}
              placeholder="ada"
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => change(at, { name: event.target.value })}
            />
            <Input
              aria-label={`Password ${at + 1}`}
              type="password"
              value={user.password}
              placeholder="Password"
              autoComplete="new-password"
              onChange={(event) => change(at, { password: event.target.value })}
            />
            <IconButton
              icon="trash"
              label={`Remove user ${at + 1}`}
              onClick={() => set({ users: form.users.filter((_, place) => place !== at) })}
            />
          </div>
        ))}
        <Button icon="add" onClick={() => set({ users: [...form.users, { name: "", password: "" }] })}>
          Add user
        </Button>
      </Group>
    </div>
  );
}

function Login({ form, mistakes, set }: PartProps) {
  const isOther = form.login === OTHER_PROVIDER;
  const ownApp = isOther ? undefined : "Leave empty to use the server's own app.";
  return (
    <>
      <Field label="Provider">
        <Select value={form.login} options={ALL_LOGIN_PROVIDERS} onChange={(login) => set({ login })} />
      </Field>
      {isOther ? (
        <Field
          label="Issuer"
          hint="The provider decides which accounts are admitted."
          mistake={mistakes.issuer ?? null}
        >
          <Input
            value={form.issuer}
            placeholder="https://id.example.com"
            spellCheck={false}
            onChange={(event) => set({ issuer: event.target.value })}
          />
        </Field>
      ) : (
        <Field
          label="Allowed accounts"
          hint="One e-mail address or domain per line. Leave empty to admit everyone with an account at the provider."
          mistake={mistakes.accounts ?? null}
        >
          <TextArea
            className={styles.short}
            value={form.accounts}
            placeholder="alice@example.com"
            rows={2}
            spellCheck={false}
            onChange={(event) => set({ accounts: event.target.value })}
          />
        </Field>
      )}
      <Field label="Client ID" hint={ownApp} mistake={mistakes.clientId ?? null}>
        <Input
          value={form.clientId}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => set({ clientId: event.target.value })}
        />
      </Field>
      <Field label="Client secret" mistake={mistakes.clientSecret ?? null}>
        <Input
          type="password"
          value={form.clientSecret}
          autoComplete="new-password"
          onChange={(event) => set({ clientSecret: event.target.value })}
        />
      </Field>
    </>
  );
}

function Webhook({ form, mistakes, set }: PartProps) {
  const kind = secretKind(form.webhook);
  return (
    <>
      <Field
        label="Provider"
        hint="Requests without a valid signature of the provider get 403."
        mistake={mistakes.webhook ?? null}
      >
        <Select
          value={form.webhook}
          placeholder={form.webhook}
          options={WEBHOOK_PROVIDERS}
          onChange={(webhook) => set({ webhook })}
        />
      </Field>
      {kind !== "none" && (
        <Field
          label={kind === "key" ? "Public key" : "Secret"}
          hint="As displayed by the provider."
          mistake={mistakes.webhookSecret ?? null}
        >
          <Input
            type={kind === "key" ? "text" : "password"}
            value={form.webhookSecret}
            autoComplete="new-password"
            spellCheck={false}
            onChange={(event) => set({ webhookSecret: event.target.value })}
          />
        </Field>
      )}
    </>
  );
}
