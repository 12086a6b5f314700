// A plan as commands for a POSIX shell, each of which can use the ids of those before.
import { asCurl } from "../resource/RequestPreview";
import type { Plan } from "./plan";

/** Characters for private use mark the place of an id until the command is quoted. */
const MARKED = /\uE000(\w+)\uE001/g;

const variable = (key: string): string => key.replace(/\W+/g, "_");

/** `base` is the address of the management API. Secrets are masked unless they are revealed. */
export function planScript({ steps }: Plan, base: string, isRevealed: boolean): string {
  const commands = steps.map(({ key, request }) => {
    const { path, body, shown } = request((other) => `\uE000${variable(other)}\uE001`);
    const command = asCurl("POST", `${base}${path}`, isRevealed ? body : shown);
    // The variable is outside of the single quotes around it.
    return `${variable(key)}=$(${command.replace(MARKED, `'"$$$1"'`)} | jq -r .id)`;
  });
  return commands.join("\n\n");
}

/** Whether the commands have secrets that are masked. */
export function hasSecrets({ steps }: Plan): boolean {
  return steps.some(({ request }) => {
    const { body, shown } = request((key) => key);
    return JSON.stringify(body) !== JSON.stringify(shown);
  });
}
