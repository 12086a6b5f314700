// The filter input with completions at the caret and the position of mistakes.
import { useId, useMemo, useState, type KeyboardEvent, type RefObject } from "react";
import { flushSync } from "react-dom";
import type { FilterProblem } from "../model/remoteFilter";
import { tunnelName } from "../model/filter";
import { suggest, type Suggestion } from "../model/filter/suggest";
import { IconButton } from "../parts/Button";
import { Icon } from "../parts/Icon";
import { useAgent, useServices } from "../services";
import { Prose } from "../parts/Prose";
import styles from "./FilterBox.module.css";

interface FilterBoxProps {
  box: RefObject<HTMLInputElement | null>;
  filter: string;
  onFilter(filter: string): void;
  problem: FilterProblem | null;
  done: number;
}

export function FilterBox({ box, filter, onFilter, problem, done }: FilterBoxProps) {
  const id = useId();
  /** The text and caret for which suggestions are shown; any other text has none. */
  const [typing, setTyping] = useState<{ text: string; caret: number; asked?: boolean } | null>(null);
  const [active, setActive] = useState(-1);
  const caret = typing?.text === filter ? typing.caret : null;
  const asked = typing?.asked ?? false;
  const seenValues = useSeenValues(caret !== null);
  const suggested = useMemo(
    () => (caret === null ? null : suggest(filter, caret, seenValues, asked)),
    [filter, caret, seenValues, asked],
  );
  const items = suggested?.items ?? [];
  const chosen = items[active];
  const open = items.length > 0;

  const close = () => {
    setTyping(null);
    setActive(-1);
  };
  const accept = (index: number) => {
    const item = items[index];
    if (!item || !suggested) return;
    const behind = filter.slice(suggested.end);
    const insert = item.insert + (item.whole && !behind.startsWith(" ") ? " " : "");
    const position = suggested.from + insert.length;
    const text = filter.slice(0, suggested.from) + insert + behind;
    // Rendered at once: a key typed before the caret is set would end up at the wrong place.
    flushSync(() => {
      onFilter(text);
      setActive(-1);
      setTyping({ text, caret: position });
    });
    box.current?.focus();
    box.current?.setSelectionRange(position, position);
  };
  const onKey = (event: KeyboardEvent<HTMLInputElement>) => {
    const move = (by: number) => {
      event.preventDefault();
      const { selectionStart } = event.currentTarget;
      if (!open) setTyping({ text: filter, caret: selectionStart ?? filter.length, asked: true });
      else setActive(((active + 1 + by + items.length + 1) % (items.length + 1)) - 1);
    };
    if (event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowUp" && open) move(-1);
    else if ((event.key === "Enter" || event.key === "Tab") && chosen) {
      event.preventDefault();
      accept(active);
    } else if (event.key === "Enter") close();
    else if (event.key === "Escape" && open) {
      event.preventDefault();
      close();
    }
  };

  return (
    <div className={styles.box}>
      <Icon name="search" />
      <input
        ref={box}
        type="search"
        role="combobox"
        aria-label="Filter requests"
        aria-expanded={open}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={chosen ? `${id}-${active}` : undefined}
        aria-invalid={problem && !open ? true : undefined}
        aria-describedby={problem ? `${id}-problem` : undefined}
        placeholder='Filter: text, status:5xx, body~"…"'
        spellCheck={false}
        autoComplete="off"
        value={filter}
        onChange={(event) => {
          setTyping({ text: event.target.value, caret: event.target.selectionStart ?? 0 });
          setActive(-1);
          onFilter(event.target.value);
        }}
        onKeyDown={onKey}
        onBlur={close}
      />
      {filter !== "" && <IconButton label="Clear the filter" icon="close" onClick={() => onFilter("")} />}
      <SuggestionList id={id} items={items} active={active} onAccept={accept} />
      {problem ? <Mistake id={`${id}-problem`} filter={filter} problem={problem} /> : null}
      {done < 1 && !problem && (
        <div
          className={styles.progress}
          role="progressbar"
          aria-label="Searching"
          aria-valuenow={Math.round(done * 100)}
          aria-valuemin={0}
          aria-valuemax={100}
          style={{ width: `${Math.max(done * 100, 4)}%` }}
        />
      )}
    </div>
  );
}

interface SuggestionListProps {
  id: string;
  items: readonly Suggestion[];
  active: number;
  onAccept(index: number): void;
}

/** Always there, because the input refers to it; it does not hide the rest of the page from assistive technology. */
function SuggestionList({ id, items, active, onAccept }: SuggestionListProps) {
  return (
    <div
      id={`${id}-list`}
      role="listbox"
      aria-label="Suggestions"
      className={styles.list}
      hidden={items.length === 0}
    >
      {items.map(({ insert, hint }, index) => (
        <div
          key={insert}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === active}
          tabIndex={-1}
          className={styles.item}
          // The input keeps the focus.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onAccept(index)}
          onKeyDown={() => {}}
        >
          <code>{insert}</code>
          <span>{hint}</span>
        </div>
      ))}
    </div>
  );
}

/** The filter with the mistake marked, and the agent's message about it. */
function Mistake({ id, filter, problem }: { id: string; filter: string; problem: FilterProblem }) {
  const characters = Array.from(filter);
  const at = problem.position === null ? null : problem.position - 1;
  const before = characters.slice(Math.max((at ?? 0) - 24, 0), at ?? 0).join("");
  const behind = characters.slice((at ?? 0) + 1, (at ?? 0) + 24).join("");
  return (
    <div id={id} className={styles.mistake} role="status">
      {at !== null && (
        <code className={styles.place}>
          {before}
          <mark>{characters[at] ?? "␣"}</mark>
          {behind}
        </code>
      )}
      <span>
        <Prose text={problem.message.replace(/^At character \d+ of the filter: /, "")} />
      </span>
    </div>
  );
}

/** Values to suggest, read when the suggestions open. */
function useSeenValues(open: boolean) {
  const { model } = useServices();
  const { tunnels } = useAgent();
  return useMemo(() => {
    if (!open) return { methods: [], hosts: [], tunnels: [], statuses: [] };
    const { texts } = model.exchanges;
    const names = [...tunnels.map(({ name }) => name), ...texts.frequent("tunnel_name", 20).map(tunnelName)];
    return {
      methods: texts.frequent("method", 10),
      hosts: texts.frequent("host", 10),
      tunnels: [...new Set(names)],
      statuses: texts.frequent("status", 20),
    };
  }, [open, model, tunnels]);
}
