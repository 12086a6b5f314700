// Publishes a service: its name, where it leads and who is admitted, in one form beside the plan of what is created.
import { useEffect, useRef, type RefObject } from "react";
import type { ServerFacts } from "../../api/generated";
import { Button } from "../../parts/Button";
import { Choice } from "../../parts/Choice";
import { Notice } from "../../parts/Notice";
import { toast } from "../../parts/toast";
import { useNavigateTo } from "../address";
import { useServer } from "../edges/useServer";
import type { Field } from "../form/field";
import { focusField } from "../form/focusField";
import { FormFields } from "../form/FormFields";
import formStyles from "../form/form.module.css";
import { textOf } from "../form/values";
import { PageFrame } from "../resource/PageFrame";
import { Failure, Loading } from "../shell/PageStates";
import { questionOf, type Question } from "./fields";
import { warningsOf } from "./moduleFields";
import { PlanView } from "./PlanView";
import { Published } from "./Published";
import styles from "./publish.module.css";
import { publication } from "./storage";
import { Stopped } from "./Stopped";
import { TunnelChoice } from "./TunnelChoice";
import { usePublish, type PublishState } from "./usePublish";

const QUESTIONS: readonly { question: Question; title: string }[] = [
  { question: "name", title: "Name" },
  { question: "target", title: "Where it leads" },
  { question: "protection", title: "Who is admitted" },
];

export default function PublishPage() {
  const server = useServer();
  if (server.data) return <Publish server={server.data} />;
  if (!server.isError) return <Loading />;
  return (
    <Frame>
      <Failure
        thrown={server.error}
        title="The server's facts could not be loaded"
        retry={() => void server.refetch()}
      />
    </Frame>
  );
}

function Frame({ children }: { children: React.ReactNode }) {
  return (
    <PageFrame
      title="Publish a service"
      about="A public HTTPS address for one service, with everything that it needs."
    >
      {children}
    </PageFrame>
  );
}

function Publish({ server }: { server: ServerFacts }) {
  const state = usePublish(server);
  useEffect(() => () => publication.leave(), []);
  return (
    <Frame>{state.phase === "published" ? <Published state={state} /> : <PublishForm state={state} />}</Frame>
  );
}

function PublishForm({ state }: { state: PublishState }) {
  const element = useRef<HTMLFormElement>(null);
  const go = useNavigateTo();
  const { isBusy, isHalf, isReady, phase, failure, refused } = state;
  // Where records were created, what to do about them matters more than the field.
  useFocus(element, isHalf ? undefined : refused, failure);
  const undo = async () => {
    if (await state.undo()) toast({ title: "Everything that was created is removed" });
  };
  return (
    <div className={formStyles.frame}>
      <form
        ref={element}
        className={formStyles.form}
        noValidate
        aria-label="Publish a service"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady && !isBusy) focusField(element.current, state.send());
        }}
      >
        <div className={formStyles.fields}>
          {state.isRestored && !isHalf && (
            <p className={formStyles.quiet} role="status">
              Your input is still here; passwords and secrets are kept only until a reload.{" "}
              <Button weight="quiet" onClick={state.discard}>
                Discard it
              </Button>
            </p>
          )}
          {QUESTIONS.map(({ question, title }) => (
            <Section key={question} question={question} title={title} state={state} />
          ))}
          {(failure || isHalf) && <Stopped state={state} />}
          <div className={formStyles.actions}>
            <Button
              type="submit"
              weight="primary"
              icon="globe"
              busy={phase === "creating"}
              aria-disabled={!isReady || isBusy || undefined}
            >
              {isHalf ? "Continue" : "Publish"}
            </Button>
            {isHalf || phase === "undoing" ? (
              <Button icon="trash" busy={phase === "undoing"} onClick={() => void undo()}>
                Remove what was created
              </Button>
            ) : (
              <Button
                aria-disabled={isBusy || undefined}
                onClick={() => {
                  if (isBusy) return;
                  state.discard();
                  go("/overview");
                }}
              >
                Cancel
              </Button>
            )}
          </div>
        </div>
        <div className={formStyles.preview}>
          <PlanView state={state} />
        </div>
      </form>
    </div>
  );
}

/** The first input has the focus when the page opens, and a refused one when the server responds. */
function useFocus(
  element: RefObject<HTMLFormElement | null>,
  refused: Field | undefined,
  failure: PublishState["failure"],
): void {
  const isFirst = useRef(true);
  const name = refused?.name;
  useEffect(() => {
    const wanted = isFirst.current ? "name" : failure === null ? undefined : name;
    isFirst.current = false;
    if (wanted === undefined) return undefined;
    // After the shell, which moves the focus to the new page.
    const frame = requestAnimationFrame(() => focusField(element.current, { name: wanted }));
    return () => cancelAnimationFrame(frame);
  }, [element, name, failure]);
}

interface SectionProps {
  question: Question;
  title: string;
  state: PublishState;
}

function Section({ question, title, state }: SectionProps) {
  const { fields, draft, server } = state;
  const own = fields.fields.filter((field) => questionOf(field) === question);
  return (
    <section className={styles.question} aria-label={title}>
      <FormFields state={{ ...fields, fields: own }} renderField={(field) => renderQuestion(field, state)} />
      {question === "protection" &&
        warningsOf(draft, server).map((sentence) => <Notice key={sentence} tone="warn" title={sentence} />)}
    </section>
  );
}

/** The questions have their options side by side, however many there are; the others are usual fields. */
function renderQuestion(field: Field, { fields, tunnels }: PublishState) {
  if (field.kind !== "choice") return null;
  const value = textOf(fields.valueOf(field));
  const choose = (chosen: string) => fields.change(field.name, chosen);
  if (field.name === "tunnel")
    return (
      <TunnelChoice tunnels={tunnels} value={value} mistake={fields.mistakeOf(field)} onChange={choose} />
    );
  if (field.name !== "target" && field.name !== "protection") return null;
  return <Choice legend={field.label} value={value} options={field.options} onChange={choose} />;
}
