// The commands for the agent of a session.
import { useState } from "react";
import type { TunnelSession } from "../../api/generated";
import { asProblem } from "../../api/problem";
import { adviceFor } from "../../model/advice";
import { Button } from "../../parts/Button";
import { Dialog, DialogActions } from "../../parts/Dialog";
import { Notice, ProblemText } from "../../parts/Notice";
import { toast } from "../../parts/toast";
import { useApiMutation } from "../management";
import { Section } from "../resource/PageFrame";

const COMMANDS = {
  restart: {
    label: "Restart the agent",
    what: "It reconnects at once in a new session. Its tunnels are down for a moment.",
    done: "The agent restarts",
  },
  stop: {
    label: "Stop the agent",
    what: "Its tunnels end, and it stays off until it is started again on its machine.",
    done: "The agent stops",
  },
} as const;

export function SessionCommands({ record: session }: { record: TunnelSession }) {
  const change = useApiMutation(["/tunnel_sessions", "/tunnels", "/endpoints"]);
  const [command, setCommand] = useState<keyof typeof COMMANDS | null>(null);
  const problem = change.error && asProblem(change.error);
  const close = () => {
    change.reset();
    setCommand(null);
  };
  return (
    <Section
      title="Remote commands"
      about="Agents with remote management turned off refuse them."
      actions={
        <div>
          {(["restart", "stop"] as const).map((name) => (
            <Button key={name} weight={name === "stop" ? "danger" : "plain"} onClick={() => setCommand(name)}>
              {COMMANDS[name].label}
            </Button>
          ))}
        </div>
      }
    >
      {command && (
        <Dialog title={`${COMMANDS[command].label}?`} open onClose={close}>
          <p>{COMMANDS[command].what}</p>
          {problem && (
            <Notice tone="bad" title="The command was refused" alert>
              <ProblemText message={problem.message} advice={adviceFor(problem)} code={problem.code} />
            </Notice>
          )}
          <DialogActions>
            <Button onClick={close}>Cancel</Button>
            <Button
              weight={command === "stop" ? "danger" : "primary"}
              busy={change.isPending}
              onClick={() =>
                change.mutate(
                  { method: "POST", path: `/tunnel_sessions/${session.id}/${command}`, body: {} },
                  {
                    onSuccess: () => {
                      toast({ title: COMMANDS[command].done });
                      close();
                    },
                  },
                )
              }
            >
              {COMMANDS[command].label}
            </Button>
          </DialogActions>
        </Dialog>
      )}
    </Section>
  );
}
