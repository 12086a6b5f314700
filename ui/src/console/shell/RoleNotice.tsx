// Tells the holder of an API key with few rights what it is for, before the first refusal does.
import type { Role } from "../../api/generated";
import { Notice } from "../../parts/Notice";
import { useServer } from "../edges/useServer";
import styles from "./Shell.module.css";

const LIMITED: Partial<Record<Role, { title: string; text: string }>> = {
  viewer: {
    title: "Your API key only reads",
    text: "It has the role of a viewer. Ask an administrator for another key to change something.",
  },
  "agent-owner": {
    title: "You can see your credentials and your agents",
    text: "Your API key has the role of an agent owner, so the other pages refuse it. Ask an administrator for another key to see them.",
  },
};

export function RoleNotice() {
  const role = useServer().data?.role;
  const limited = role ? LIMITED[role] : undefined;
  if (!limited) return null;
  return (
    <div className={styles.role}>
      <Notice tone="info" title={limited.title}>
        <p>{limited.text}</p>
      </Notice>
    </div>
  );
}
