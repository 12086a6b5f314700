// Ctrl+K: pages, actions and every record by its id, host, network or description.
import { useDeferredValue, useState } from "react";
import { Finder } from "../../../parts/Finder";
import type { IconName } from "../../../parts/Icon";
import { useNavigateTo } from "../../address";
import { search, type PaletteItem } from "./search";
import { usePaletteItems } from "./usePaletteItems";

const ICONS: Readonly<Record<string, IconName>> = { "Go to": "arrow", Pages: "list", Actions: "add" };

export default function Palette({ agent, onClose }: { agent: boolean; onClose(): void }) {
  const go = useNavigateTo();
  const [words, setWords] = useState("");
  const wanted = useDeferredValue(words);
  const { things, loading } = usePaletteItems(agent, wanted);
  const found = search(things, wanted);
  const count = found.reduce((total, group) => total + group.things.length, 0);
  return (
    <Finder
      label="Find anything"
      placeholder="ID, host, network, description, page or action"
      words={words}
      onWords={setWords}
      groups={found.map(({ label, things: own }) => ({
        label,
        items: own.map((thing) => ({
          id: idOf(thing),
          icon: ICONS[label] ?? "circle",
          title: thing.title,
          note: thing.note,
        })),
      }))}
      status={
        loading
          ? "Searching…"
          : count === 0
            ? `Nothing matches “${wanted.trim()}”.`
            : wanted.trim().length < 2
              ? "Type at least two characters to search the whole configuration."
              : `${count} shown, the best matches of each kind.`
      }
      onChoose={(id) => {
        const chosen = things.find((thing) => idOf(thing) === id);
        onClose();
        if (chosen) go(chosen.place);
      }}
      onClose={onClose}
    />
  );
}

function idOf({ group, place, title }: PaletteItem): string {
  return `${group} ${place} ${title}`;
}
