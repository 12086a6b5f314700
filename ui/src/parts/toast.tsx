// Short messages that appear at the edge of the window and are announced once.
import { Toast } from "@base-ui/react/toast";
import { IconButton } from "./Button";
import { Icon } from "./Icon";
import { Prose } from "./Prose";
import styles from "./toast.module.css";

const toastManager = Toast.createToastManager();

export interface ToastMessage {
  title: string;
  detail?: string;
  tone?: "ok" | "bad";
  action?: { label: string; run(): void };
}

export function toast({ title, detail, tone = "ok", action }: ToastMessage): void {
  const id = toastManager.add({
    title,
    description: detail && <Prose text={detail} />,
    type: tone,
    timeout: tone === "bad" || action ? 12_000 : 4_000,
    priority: tone === "bad" ? "high" : "low",
    ...(action
      ? {
          actionProps: {
            children: action.label,
            onClick: () => {
              toastManager.close(id);
              action.run();
            },
          },
        }
      : {}),
  });
}

export function Toasts() {
  return (
    <Toast.Provider toastManager={toastManager} limit={3}>
      <Toast.Portal>
        <Toast.Viewport className={styles.viewport}>
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function List() {
  const { toasts: shown } = Toast.useToastManager();
  return shown.map((entry) => (
    <Toast.Root key={entry.id} toast={entry} className={styles.toast}>
      <Toast.Content className={styles.content}>
        <span className={entry.type === "bad" ? styles.bad : styles.ok}>
          <Icon name={entry.type === "bad" ? "cross" : "check"} />
        </span>
        <div className={styles.words}>
          <Toast.Title className={styles.title} />
          <Toast.Description className={styles.detail} />
        </div>
        <Toast.Action className={styles.action} />
        <Toast.Close render={<IconButton label="Dismiss" icon="close" />} />
      </Toast.Content>
    </Toast.Root>
  ));
}
