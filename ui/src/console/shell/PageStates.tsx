// Shown for a missing, loading or failed page.
import { asProblem } from "../../api/problem";
import { adviceFor } from "../../model/advice";
import { Notice, ProblemText } from "../../parts/Notice";
import { PlaceLink } from "../PlaceLink";
import styles from "./PageStates.module.css";

export function NotFound() {
  return (
    <div className={styles.lost}>
      <h1 className={styles.title}>Page not found</h1>
      <p>
        The address may be mistyped. <PlaceLink to="/">Go to the start page</PlaceLink>
      </p>
    </div>
  );
}

export function Loading() {
  return (
    <p className={styles.waiting} role="status">
      Loading…
    </p>
  );
}

export function PageFailure({ error }: { error: unknown }) {
  return (
    <div className={styles.lost}>
      <h1 className={styles.title}>This page failed</h1>
      <Failure thrown={error} title="An unexpected error occurred" />
    </div>
  );
}

/** The error of the server or of the page itself, with advice. */
export function Failure({ thrown, title, retry }: { thrown: unknown; title: string; retry?: () => void }) {
  const problem = asProblem(thrown);
  return (
    <Notice
      tone="bad"
      title={title}
      alert
      {...(retry
        ? {
            actions: (
              <button type="button" className={styles.retry} onClick={retry}>
                Try again
              </button>
            ),
          }
        : {})}
    >
      <ProblemText message={problem.message} advice={adviceFor(problem)} code={problem.code} />
    </Notice>
  );
}
