// A form made of fields, beside the request that it sends. Mistakes are shown at their fields, both those found here
// and those of the API.
import { useId, useRef, type ReactNode } from "react";
import { adviceFor } from "../../model/advice";
import { Button } from "../../parts/Button";
import type { IconName } from "../../parts/Icon";
import { Notice, ProblemText } from "../../parts/Notice";
import { RequestPreview } from "../resource/RequestPreview";
import { maskedBody } from "./draft";
import type { Draft } from "./field";
import styles from "./form.module.css";
import { FormFields } from "./FormFields";
import { useForm, type FormRequest } from "./useForm";
import { firstAsked, useOpeningFocus } from "./useOpeningFocus";

interface FormProps extends FormRequest {
  /** Its accessible name; by default the label of the button that sends it. */
  label?: string;
  submit: string;
  icon?: IconName;
  cancel?: string;
  onCancel?: () => void;
  /** Content above the fields, and between the fields and the buttons. */
  renderAbove?: (draft: Draft) => ReactNode;
  renderBelow?: (draft: Draft) => ReactNode;
}

export function Form({
  label,
  submit,
  icon,
  cancel = "Cancel",
  onCancel,
  renderAbove,
  renderBelow,
  ...request
}: FormProps) {
  const id = useId();
  const element = useRef<HTMLFormElement>(null);
  const state = useForm(element, request);
  const { form, record, method, path } = request;
  const { draft, body, problem, isUnchanged } = state;
  useOpeningFocus(element, record === null ? firstAsked(state.fields) : undefined);
  return (
    <div className={styles.frame}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- keys of its inputs */}
      <form
        ref={element}
        className={styles.form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          state.send();
        }}
        onKeyDown={(event) => {
          // Enter alone is a new line in a text of several lines.
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          state.send();
        }}
        {...(label ? { "aria-label": label } : { "aria-labelledby": `${id}-submit` })}
      >
        <div className={styles.fields}>
          {state.isRestored && (
            <p className={styles.quiet} role="status">
              Your unsaved input is still here.{" "}
              <Button weight="quiet" onClick={state.discard}>
                Discard it
              </Button>
            </p>
          )}
          {renderAbove?.(draft)}
          <FormFields state={state} />
          {renderBelow?.(draft)}
          {problem && (
            <Notice tone="bad" title="The server refused the request" alert>
              <ProblemText message={problem.message} advice={adviceFor(problem)} code={problem.code} />
            </Notice>
          )}
          <div className={styles.actions}>
            <Button
              id={`${id}-submit`}
              type="submit"
              weight="primary"
              {...(icon ? { icon } : {})}
              busy={state.isPending}
              title="Ctrl+Enter"
              aria-disabled={isUnchanged || undefined}
            >
              {submit}
            </Button>
            {onCancel && (
              <Button
                onClick={() => {
                  state.discard();
                  onCancel();
                }}
              >
                {cancel}
              </Button>
            )}
            {isUnchanged && form.fields.length > 0 && (
              <span className={styles.quiet}>Nothing has changed yet.</span>
            )}
          </div>
        </div>
        <div className={styles.preview}>
          <RequestPreview method={method} path={path} body={body} shown={maskedBody(form, body)} />
        </div>
      </form>
    </div>
  );
}
