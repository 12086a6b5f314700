// Which message type a protobuf or gRPC body has.
import type { SideName } from "./message";
import type { ProtoDescription } from "./reading/protoSchema";

/** The exchange that a body belongs to. */
export interface Origin {
  /** The path of the request, without its query. */
  path: string;
  side: SideName;
}

export interface MessageChoice {
  /** Null: fields are shown by number. */
  type: string | null;
  /** Where the type comes from, or why there is none. */
  reason: string | null;
}

/** The type that was chosen, that the method of the path has, or that the content type names. */
export function messageChoice(
  { messages, methods }: ProtoDescription,
  chosen: string | undefined,
  origin: Origin | null,
  parameters: ReadonlyMap<string, string>,
  isGrpc: boolean,
): MessageChoice {
  if (chosen === "") return { type: null, reason: null };
  if (chosen !== undefined && messages.includes(chosen)) return { type: chosen, reason: null };
  if (isGrpc) return ofMethod(methods, origin);
  const named = parameters.get("messagetype") ?? parameters.get("proto") ?? null;
  if (named === null) return { type: null, reason: null };
  const type = named.replace(/^\./, "");
  return messages.includes(type)
    ? { type, reason: "as the content type says" }
    : {
        type: null,
        reason: `The content type names ${type.slice(0, 200)}, which no file declares. Add the file that does, or choose a message type.`,
      };
}

/** A path may have a prefix before the service. */
function ofMethod(methods: ProtoDescription["methods"], origin: Origin | null): MessageChoice {
  if (origin === null) return { type: null, reason: null };
  const path = `/${origin.path.split("/").slice(-2).join("/")}`;
  const method = Object.hasOwn(methods, path) ? methods[path] : undefined;
  if (method === undefined)
    return {
      type: null,
      reason: `No service in these files has the method ${path.slice(1, 200)}. Add the file that declares it, or choose a message type.`,
    };
  const type = method[origin.side];
  return type === null
    ? {
        type,
        reason: `The ${origin.side} type of ${path.slice(1, 200)} is declared in no file. Add the file that declares it, or choose a message type.`,
      }
    : { type, reason: `${origin.side} of ${path.slice(1)}` };
}
