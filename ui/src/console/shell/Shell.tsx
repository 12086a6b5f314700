// The frame of the console: the navigation beside the current page.
import { Outlet } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { Brand } from "../../parts/Brand";
import { Button } from "../../parts/Button";
import { Icon } from "../../parts/Icon";
import { useServices } from "../../services";
import { usePath } from "../address";
import { AREAS, type Area, type Group } from "../areas";
import { PlaceLink } from "../PlaceLink";
import { AccountMenu } from "./AccountMenu";
import { RoleNotice } from "./RoleNotice";
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
          {groupsOf(AREAS.filter((area) => !area.hidden && (agent || !area.agent))).map(([group, areas]) => (
            <section key={group} aria-labelledby={`group-${group}`}>
              <h2 id={`group-${group}`} className={styles.group}>
                {group}
              </h2>
              <ul>
                {areas.map((area) => (
                  <li key={area.path}>
                    <PlaceLink
                      to={area.path}
                      className={styles.area}
                      aria-current={isWithin(path, area.path) ? "page" : undefined}
                    >
                      <Icon name={area.icon} />
                      {area.label}
                    </PlaceLink>
                  </li>
                ))}
              </ul>
            </section>
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

function isWithin(path: string, parent: string): boolean {
  return path === parent || path.startsWith(`${parent}/`);
}

function groupsOf(areas: readonly Area[]): [Group, Area[]][] {
  const groups = new Map<Group, Area[]>();
  for (const area of areas) groups.set(area.group, [...(groups.get(area.group) ?? []), area]);
  return [...groups];
}
