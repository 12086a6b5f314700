// The `.proto` files of this browser, given to the worker of a body.
import { useEffect, useState, useSyncExternalStore } from "react";
import { ProtoFileStore, type ProtoSnapshot } from "../../model/protoFiles";
import type { Content } from "./content";
import type { ProtoDescription } from "./reading/protoSchema";
import { messageOf } from "./useReading";

export const protoFiles = new ProtoFileStore();

export function useProtoFiles(): ProtoSnapshot {
  return useSyncExternalStore(protoFiles.listen, () => protoFiles.snapshot);
}

export type Declarations =
  | { state: "reading" }
  | { state: "read"; revision: number; description: ProtoDescription }
  | { state: "failed"; message: string };

export const NO_DECLARATIONS: ProtoDescription = { messages: [], methods: {}, problems: [] };

/** Has the worker read the files; without any there is nothing to read. */
export function useDeclarations(content: Content, { files, revision }: ProtoSnapshot): Declarations {
  const [read, setRead] = useState<{ of: Content; revision: number; now: Declarations } | null>(null);
  useEffect(() => {
    let active = true;
    const settle = (now: Declarations) => active && setRead({ of: content, revision, now });
    if (files.length === 0) settle({ state: "read", revision, description: NO_DECLARATIONS });
    else
      content.worker.call("declare", files).then(
        (description) => settle({ state: "read", revision, description }),
        (thrown: unknown) => settle({ state: "failed", message: messageOf(thrown) }),
      );
    return () => {
      active = false;
    };
  }, [content, files, revision]);
  return read?.of === content && read.revision === revision ? read.now : { state: "reading" };
}
