// The areas of a section above the list of the one that is open: links, since each has an address of its own.
import { PlaceLink } from "../PlaceLink";
import type { Entry } from "./navigation";
import styles from "./SectionTabs.module.css";

export function SectionTabs({ entry, path }: { entry: Entry | undefined; path: string }) {
  // A record's page has a link back and tabs of its own.
  if (!entry || entry.areas.length < 2 || !entry.areas.some((area) => area.path === path)) return null;
  return (
    <nav className={styles.tabs} aria-label={entry.label}>
      <ul>
        {entry.areas.map((area) => (
          <li key={area.path}>
            <PlaceLink
              to={area.path}
              className={styles.tab}
              data-label={area.label}
              aria-current={area.path === path ? "page" : undefined}
            >
              {area.label}
            </PlaceLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}
