// A link to a page outside the console; the desktop app opens it in the user's browser.
import { useServices } from "../../services";
import styles from "./EdgeFrame.module.css";

export function ExternalLink({ to, children }: { to: string; children: string }) {
  const { host } = useServices();
  return (
    <a
      className={styles.link}
      href={to}
      rel="noreferrer"
      target="_blank"
      onClick={(event) => {
        event.preventDefault();
        void host.openExternal(to);
      }}
    >
      {children}
    </a>
  );
}
