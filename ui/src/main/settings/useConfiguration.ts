// The agent's configuration while it is edited: loaded, checked after a pause, saved when it is valid.
import { useCallback, useEffect, useState } from "react";
import { asProblem } from "../../api/problem";
import type { ConfigurationProblem, ConfigurationText, Problem } from "../../api/types";
import { toast } from "../../parts/toast";
import { useServices } from "../../services";

/** Delay in milliseconds after the last edit before the text is checked. */
const CHECK_DELAY_MS = 400;

export function useConfiguration() {
  const { model } = useServices();
  const [read, setRead] = useState<ConfigurationText | null>(null);
  const [text, setText] = useState("");
  const [mistakes, setMistakes] = useState<ConfigurationProblem[]>([]);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const isChanged = read !== null && text !== read.text;

  const take = useCallback((next: ConfigurationText) => {
    setRead(next);
    setText(next.text);
    setMistakes([]);
    setProblem(null);
  }, []);
  const reload = useCallback(() => {
    model.api.configuration().then(take, (thrown: unknown) => setProblem(asProblem(thrown)));
  }, [model, take]);
  useEffect(reload, [reload]);

  const revision = read?.revision ?? "";
  useEffect(() => {
    if (!isChanged) return undefined;
    let over = false;
    const timer = setTimeout(() => {
      model.api.checkConfiguration(text, revision).then(
        (found) => {
          if (over) return;
          setMistakes(found);
          setProblem(null);
        },
        (thrown: unknown) => void (over || setProblem(asProblem(thrown))),
      );
    }, CHECK_DELAY_MS);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [model, text, revision, isChanged]);

  const save = async () => {
    setBusy(true);
    try {
      const found = await model.api.checkConfiguration(text, revision);
      setMistakes(found);
      if (found.length === 0) {
        take(await model.api.saveConfiguration(text, revision));
        toast({ title: "The configuration is saved and active" });
      }
    } catch (thrown) {
      setProblem(asProblem(thrown));
    }
    setBusy(false);
  };
  return { read, text, setText, mistakes, problem, busy, isChanged, reload, save };
}
