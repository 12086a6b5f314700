// The frame of the console: the navigation beside the current page.
import { Outlet } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from "react";
import { Brand } from "../../parts/Brand";
import { Button } from "../../parts/Button";
import { Icon } from "../../parts/Icon";
import { useServices } from "../../services";
import { usePath } from "../address";
import { AREAS } from "../areas";
import { PlaceLink } from "../PlaceLink";
import { AccountMenu } from "./AccountMenu";
import { entriesOf, entryOf, type Entry } from "./navigation";
import { RoleNotice } from "./RoleNotice";
import { SectionTabs } from "./SectionTabs";
import styles from "./Shell.module.css";
import { ThemeMenu } from "./ThemeMenu";

const Palette = lazy(() => import("./palette/Palette"));

export function Shell({ agent }: { agent: boolean }) {
  const { host } = useServices();
  const path = usePath();
  const main = useRef<HTMLElement>(null);
  const list = useRef<HTMLElement>(null);
  const shown = useRef(path);
  // The path on which the menu of a narrow window is open.
  const [openAt, setOpenAt] = useState<string | null>(null);
  const open = openAt === path;
  const signIn = host.management?.signIn;
  const [finding, setFinding] = useState(false);
  const entries = useMemo(() => entriesOf(AREAS, agent), [agent]);
  const current = entryOf(entries, path);

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      setFinding((before) => !before);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);

  // A new page starts at its top and is announced; the first one leaves the focus alone.
  useEffect(() => {
    // Scrolls the navigation to the current area.
    list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
    if (shown.current === path) return;
    shown.current = path;
    main.current?.scrollTo(0, 0);
    main.current?.focus({ preventScroll: true });
  }, [path]);

  return (
    <div className={styles.shell}>
      <a
        className={styles.skip}
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        Skip to the page
      </a>
      <header className={styles.side} data-open={open}>
        <div className={styles.top}>
          <Brand as="p" />
          <Button
            className={styles.toggle}
            icon="list"
            aria-expanded={open}
            aria-controls="navigation"
            onClick={() => setOpenAt(open ? null : path)}
          >
            Menu
          </Button>
        </div>
        <Button className={styles.find} icon="search" onClick={() => setFinding(true)}>
          <span className={styles.findWords}>Find anything</span>
          <kbd className={styles.findKey}>Ctrl K</kbd>
        </Button>
        <nav id="navigation" ref={list} className={styles.nav} aria-label="Areas">
          {groupsOf(entries).map(([group, members]) => (
            <div key={group} role="group" aria-labelledby={`group-${group}`}>
              <h2 id={`group-${group}`} className={styles.group}>
                {group}
              </h2>
              <ul>
                {members.map((entry) => (
                  <li key={entry.label}>
                    <PlaceLink
                      to={entry.areas[0]?.path ?? "/"}
                      className={styles.area}
                      aria-current={entry === current ? "page" : undefined}
                    >
                      <Icon name={entry.icon} />
                      {entry.label}
                    </PlaceLink>
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </nav>
        {signIn && (
          <div className={styles.foot}>
            <AccountMenu signIn={signIn} />
            <ThemeMenu />
          </div>
        )}
      </header>
      <main id="main" ref={main} className={styles.main} tabIndex={-1}>
        <SectionTabs entry={current} path={path} />
        {host.management && <RoleNotice />}
        <Outlet />
      </main>
      {finding && (
        <Suspense>
          <Palette agent={agent} onClose={() => setFinding(false)} />
        </Suspense>
      )}
    </div>
  );
}

function groupsOf(entries: readonly Entry[]): [string, Entry[]][] {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) groups.set(entry.group, [...(groups.get(entry.group) ?? []), entry]);
  return [...groups];
}
