// The form of one module of an owner: its settings, the values for its provider, and the request it sends.
import { Notice } from "../../parts/Notice";
import { useServer } from "../edges/useServer";
import type { Body } from "../form/field";
import { Form } from "../form/Form";
import form from "../form/form.module.css";
import { textsOf } from "../form/values";
import { isOn } from "./conflicts";
import type { ModuleDescriptor } from "./descriptor";
import { PolicyTester } from "./PolicyTester";
import { ProviderValues } from "./ProviderValues";

interface ModuleFormProps {
  module: ModuleDescriptor;
  /** The path of the owner's record, and the collection whose queries are invalidated. */
  path: string;
  collection: string;
  /** The module as in the API; null where it is not set. */
  view: Body | null;
  /** The reason for which the API would refuse it beside the other modules. */
  conflict: string | null;
  /** The id of a route, for the values that its provider needs. */
  route: string | null;
  /** An address to try it. */
  address: string | null;
  onDone(): void;
  onCancel(): void;
}

export function ModuleForm(props: ModuleFormProps) {
  const { module, path, collection, view, conflict, route, address, onDone, onCancel } = props;
  const { data: server } = useServer();
  return (
    <Form
      label={view ? `Settings of ${module.label}` : `Add ${module.label}`}
      form={module}
      record={view}
      method="PUT"
      path={`${path}/${module.name}`}
      // Editing a module that is turned off does not turn it on.
      fixed={{ enabled: view === null || isOn(view) }}
      invalidates={[collection]}
      submit={view ? "Save" : `Add ${module.label}`}
      icon="check"
      cancel={view ? "Close" : "Cancel"}
      onCancel={onCancel}
      onDone={onDone}
      renderAbove={(draft) => (
        <>
          {route && (
            <ProviderValues module={module} draft={draft} route={route} view={view} address={address} />
          )}
          {module.fields.length === 0 && (
            <p className={form.quiet}>It has no settings; it can only be turned on or off.</p>
          )}
        </>
      )}
      renderBelow={(draft) => (
        <>
          {module.name === "ip_restriction" && <PolicyTester policies={textsOf(draft["ip_policy_ids"])} />}
          {conflict && <Notice tone="warn" title={conflict} />}
          {module.warnings?.(draft, server ?? null).map((sentence) => (
            <Notice key={sentence} tone="warn" title={sentence} />
          ))}
        </>
      )}
    />
  );
}
