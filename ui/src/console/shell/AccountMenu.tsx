// Who is signed in, and the ways out.
import { useSyncExternalStore } from "react";
import type { ConsoleSignIn } from "../../host/host";
import { Button } from "../../parts/Button";
import { Menu } from "../../parts/Menu";
import { attempt } from "../../services";
import { useServer } from "../edges/useServer";
import { nameOfRole } from "../kinds/roles";
import styles from "./Shell.module.css";

export function AccountMenu({ signIn }: { signIn: ConsoleSignIn }) {
  const state = useSyncExternalStore(signIn.listen, () => signIn.state);
  // It may have changed since the sign-in.
  const role = useServer().data?.role;
  if (state.phase !== "in") return null;
  const { session } = state;
  const signOut = (where: "here" | "everywhere") =>
    void attempt("You are still signed in", () => signIn.signOut(where));
  return (
    <Menu
      title={[session.owner_name, session.email, nameOfRole(role ?? session.role)].filter(Boolean).join(", ")}
      align="start"
      trigger={
        <Button weight="quiet" icon="user" className={styles.account}>
          <span className={styles.person}>
            <span className="unseen">Signed in as </span>
            <span className={styles.name}>{session.owner_name}</span>
            <span className={styles.roleName}>{nameOfRole(role ?? session.role)}</span>
          </span>
        </Button>
      }
      actions={[
        { label: "Sign out", icon: "lock", run: () => signOut("here") },
        {
          label: "Sign out everywhere",
          icon: "globe",
          detail: `Ends the sessions of ${session.owner_name} in all browsers.`,
          run: () => signOut("everywhere"),
        },
      ]}
    />
  );
}
