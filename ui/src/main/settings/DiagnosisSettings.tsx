// The agent's diagnosis of everything that a tunnel needs.
import { useState } from "react";
import { asProblem } from "../../api/problem";
import type { Diagnosis, Problem } from "../../api/types";
import { adviceFor } from "../../model/advice";
import { Button } from "../../parts/Button";
import type { IconName } from "../../parts/Icon";
import { Notice, ProblemText, type Tone } from "../../parts/Notice";
import { State } from "../../parts/State";
import { useCopy, useServices } from "../../services";
import { Prose } from "../../parts/Prose";
import styles from "../Settings.module.css";

const VERDICTS: Record<Diagnosis["verdict"], { tone: Tone; icon: IconName; words: string }> = {
  OK: { tone: "ok", icon: "check", words: "OK" },
  WARN: { tone: "warn", icon: "alert", words: "Warning" },
  FAIL: { tone: "bad", icon: "cross", words: "Failed" },
};

export function DiagnosisSettings() {
  const { model } = useServices();
  const copy = useCopy();
  const [busy, setBusy] = useState(false);
  const [report, setReport] = useState<Diagnosis | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);

  const run = async () => {
    setBusy(true);
    setProblem(null);
    try {
      setReport(await model.api.diagnose());
    } catch (thrown) {
      setProblem(asProblem(thrown));
    }
    setBusy(false);
  };

  return (
    <section className={styles.section} aria-labelledby="diagnosis-title">
      <h2 id="diagnosis-title" className={styles.title}>
        Diagnosis
      </h2>
      <p className={styles.note}>
        Checks every step from this computer to the server and to your services, and suggests fixes.
      </p>
      {problem && (
        <Notice tone="bad" title="The diagnosis could not run" alert>
          <ProblemText message={problem.message} advice={adviceFor(problem)} code={problem.code} />
        </Notice>
      )}
      {report && (
        <table className={styles.table} aria-label="Results">
          <thead>
            <tr>
              <th scope="col">Result</th>
              <th scope="col">Subject</th>
              <th scope="col">Finding</th>
              <th scope="col">Duration</th>
            </tr>
          </thead>
          <tbody>
            {report.checks.map((check, index) => {
              const { tone, icon, words } = VERDICTS[check.verdict];
              return (
                <tr key={index}>
                  <td>
                    <State tone={tone} icon={icon}>
                      {words}
                    </State>
                  </td>
                  <td>
                    {check.name}
                    {check.subject && <code className={styles.subject}>{check.subject}</code>}
                  </td>
                  <td>
                    <Prose text={check.finding} />
                    {check.fix && (
                      <p className={styles.fix}>
                        <Prose text={check.fix} />
                      </p>
                    )}
                  </td>
                  <td className={styles.number}>{check.milliseconds.toFixed(1)} ms</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
      <div className={styles.buttons}>
        <Button icon="search" busy={busy} onClick={() => void run()}>
          {report ? "Run again" : "Run the diagnosis"}
        </Button>
        {report && (
          <Button icon="copy" onClick={() => void copy(JSON.stringify(report, null, 2), "Report")}>
            Copy as JSON
          </Button>
        )}
      </div>
    </section>
  );
}
