// The body of one side of an exchange. Nothing but the head is fetched before the tab is opened.
import { useEffect, useState } from "react";
import { adviceFor } from "../../model/advice";
import { headerValue, type Header } from "../../model/httpMessage";
import { asProblem } from "../../api/problem";
import type { Problem } from "../../api/types";
import { Button } from "../../parts/Button";
import { Notice, ProblemText } from "../../parts/Notice";
import { Wait } from "../../parts/Wait";
import { useServices } from "../../services";
import { BodyContent } from "./BodyContent";
import styles from "./BodyView.module.css";
import { readSide, type BodyOf, type SideName } from "./message";
import { GRPC_STATUS } from "./reading/grpcStatus";

export interface BodyViewProps {
  /** Id of the exchange. */
  id: string;
  side: SideName;
  /** False while more may arrive; a change fetches the body again. */
  complete: boolean;
  /** Shows the captured messages, where there are some. */
  onMessages?: () => void;
}

type Reading =
  | { state: "reading" }
  | { state: "read"; body: BodyOf | null; error: string | null }
  | { state: "failed"; problem: Problem };

export function BodyView({ id, side, complete, onMessages }: BodyViewProps) {
  const { host, model } = useServices();
  const [loaded, setLoaded] = useState<{ of: string; reading: Reading } | null>(null);
  const of = `${id} ${side}`;
  useEffect(() => {
    let active = true;
    readSide({ host, model }, id, side).then(
      (read) => active && setLoaded({ of, reading: { state: "read", ...read } }),
      (thrown: unknown) =>
        active && setLoaded({ of, reading: { state: "failed", problem: asProblem(thrown) } }),
    );
    return () => {
      active = false;
    };
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- a body that became complete is fetched again
  }, [host, model, id, side, of, complete]);
  const reading: Reading = loaded?.of === of ? loaded.reading : { state: "reading" };
  if (reading.state === "reading") return <Wait className={styles.none}>Loading…</Wait>;
  if (reading.state === "failed") {
    const { code, message } = reading.problem;
    return (
      <Notice tone="bad" title="This body cannot be displayed">
        <ProblemText message={message} advice={adviceFor(reading.problem)} code={code} />
      </Notice>
    );
  }
  const { body, error } = reading;
  if (body === null)
    return <p className={styles.none}>{error ?? "The local service has not responded yet."}</p>;
  return <Found side={side} body={body} onMessages={onMessages} />;
}

interface FoundProps {
  side: SideName;
  body: BodyOf;
  onMessages: (() => void) | undefined;
}

function Found({ side, body, onMessages }: FoundProps) {
  const link = body.frames !== null && side === "response" && onMessages && (
    <p className={styles.notes}>
      Its messages were captured one by one.{" "}
      <Button weight="quiet" onClick={onMessages}>
        Show messages
      </Button>
    </p>
  );
  if (body.windows.length === 0)
    return (
      <>
        {link}
        <p className={styles.none}>
          {body.frames !== null
            ? "A WebSocket has messages instead of a body."
            : body.cut
              ? "None of this body was captured."
              : `This ${side} has no body.`}
        </p>
      </>
    );
  return (
    <div className={styles.whole}>
      {link}
      <GrpcStatus trailers={[...body.headers, ...body.trailers]} />
      <BodyContent
        source={body.windows}
        headers={body.headers}
        encoding={headerValue(body.headers, "content-encoding")}
        what={`${side} body`}
        origin={{ path: body.path, side }}
        notes={[]}
        cut={body.cut}
        depth={0}
      />
    </div>
  );
}

/** The status of a gRPC call follows the body. */
function GrpcStatus({ trailers }: { trailers: readonly Header[] }) {
  const status = headerValue(trailers, "grpc-status");
  if (status === null) return null;
  const name = GRPC_STATUS[Number(status)] ?? "unknown";
  const message = headerValue(trailers, "grpc-message");
  return (
    <p className={status === "0" ? styles.notes : styles.cut}>
      gRPC status {status.slice(0, 20)} {name}
      {message && `: ${decoded(message).slice(0, 500)}`}
    </p>
  );
}

function decoded(message: string): string {
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
}
