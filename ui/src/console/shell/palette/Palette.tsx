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
  const query = useDeferredValue(words);
  const { items, loading } = usePaletteItems(agent, query);
  const found = search(items, query);
  const count = found.reduce((total, group) => total + group.items.length, 0);
  return (
    <Finder
      label="Find anything"
      placeholder="ID, host, network, description, page or action"
      words={words}
      onWords={setWords}
      groups={found.map(({ label, items: own }) => ({
        label,
        items: own.map((item) => ({
          id: idOf(item),
          icon: ICONS[label] ?? "circle",
          title: item.title,
          note: item.note,
        })),
      }))}
      status={
        loading
          ? "Searching…"
          : count === 0
            ? `Nothing matches “${query.trim()}”.`
            : query.trim().length < 2
              ? "Type at least two characters to search the whole configuration."
              : `${count} shown, the best matches of each kind.`
      }
      onChoose={(id) => {
        const chosen = items.find((item) => idOf(item) === id);
        onClose();
        if (chosen) go(chosen.path);
      }}
      onClose={onClose}
    />
  );
}

function idOf({ group, path, title }: PaletteItem): string {
  return `${group} ${path} ${title}`;
}
