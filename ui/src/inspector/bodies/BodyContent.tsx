// Bytes in the views that suit their kind. Every other view can be chosen by hand, the raw bytes with one key.
import { useEffect, useMemo, useState } from "react";
import { decodeText } from "../../model/bytes";
import { size } from "../../model/format";
import { headerValue, mediaType, type Header, type MediaType } from "../../model/httpMessage";
import { readStored } from "../../model/storage";
import { Button, IconButton } from "../../parts/Button";
import { Menu } from "../../parts/Menu";
import { useCopy } from "../../services";
import styles from "./BodyView.module.css";
import { Content, MAX_READ_BYTES, type ByteSource } from "./content";
import { HexView } from "./HexView";
import { ImageView } from "./ImageView";
import type { Origin } from "./messageChoice";
import { PageView } from "./PageView";
import { PartsView } from "./PartsView";
import { ProtoView } from "./ProtoView";
import { ReadingView, TextView } from "./ReadingView";
import {
  ALL_VIEWS,
  SNIFF_BYTES,
  bodyKindOf,
  VIEWS_BY_KIND,
  type BodyKind,
  type BodyViewName,
} from "./reading/bodyKind";
import { messageOf } from "./useReading";

export interface BodyContentProps {
  source: ByteSource;
  headers: readonly Header[];
  /** The value of `Content-Encoding`; null where nothing is encoded. */
  encoding: string | null;
  /** A name for these bytes in labels, such as `response body`. */
  what: string;
  /** The exchange that they belong to; null for a message of a WebSocket. */
  origin: Origin | null;
  notes: readonly string[];
  cut: boolean;
  depth: number;
}

/** The last view chosen for a kind remains chosen while the page is open. */
const chosenViews = new Map<BodyKind, BodyViewName>();

type Ready = { source: ByteSource; content: Content; kind: BodyKind };

export function BodyContent(props: BodyContentProps) {
  const { source, headers, encoding, what } = props;
  const media = useMemo(() => mediaType(headerValue(headers, "content-type")), [headers]);
  const [ready, setReady] = useState<Ready | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    let active = true;
    let content: Content | null = null;
    const open = async () => {
      content = await Content.open(source, encoding);
      if (!active) return content.close();
      const start = await content.read(0, Math.min(SNIFF_BYTES, content.length));
      return active ? setReady({ source, content, kind: bodyKindOf(media, start) }) : undefined;
    };
    open().catch((thrown: unknown) => active && setFailure(messageOf(thrown)));
    return () => {
      active = false;
      content?.close();
    };
  }, [source, encoding, media]);
  if (failure !== null)
    return (
      <p className={styles.none}>
        This {what} cannot be displayed. {failure}
      </p>
    );
  if (ready === null || ready.source !== source) return <p className={styles.none}>Loading…</p>;
  return <ViewMenu key={what} {...props} content={ready.content} kind={ready.kind} />;
}

function ViewMenu(props: BodyContentProps & { content: Content; kind: BodyKind }) {
  const { content, kind, headers, what, origin, notes, cut, depth } = props;
  const media = useMemo(() => mediaType(headerValue(headers, "content-type")), [headers]);
  const views = VIEWS_BY_KIND[kind];
  const [chosen, setChosen] = useState<BodyViewName>(() => chosenViews.get(kind) ?? views[0] ?? "Hex");
  const [before, setBefore] = useState<BodyViewName>(views[0] ?? "Hex");
  const copy = useCopy();
  const choose = (name: BodyViewName) => {
    if (name === "Hex") setBefore(chosen);
    chosenViews.set(kind, name);
    setChosen(name);
  };
  useHexKey(depth === 0, () => choose(chosen === "Hex" ? before : "Hex"));

  const charset = media.parameters.get("charset") ?? null;
  const shown = views.includes(chosen) ? views : [...views, chosen];
  const allNotes = [
    ...(cut ? ["Incomplete: only the beginning of this body was captured."] : []),
    ...notes,
    ...content.notes,
    ...(content.isTruncated && chosen !== "Hex" && chosen !== "Text"
      ? [`Only the first ${MAX_READ_BYTES / 1024 / 1024} MB are parsed; text and hex show the whole body.`]
      : []),
  ];
  const copyAll = async () => {
    const bytes = await content.read(0, Math.min(content.length, MAX_READ_BYTES));
    await copy(
      decodeText(bytes, charset),
      content.isTruncated ? `The first ${MAX_READ_BYTES / 1024 / 1024} MB` : "Body",
    );
  };
  return (
    <div className={styles.body}>
      <div className={styles.bar}>
        <span className={styles.type}>
          {media.type || (headers.length === 0 ? kind : "no content type")} · {size(content.length)}
        </span>
        <div className={styles.ways} role="group" aria-label={`View the ${what} as`}>
          {shown.map((name) => (
            <button
              key={name}
              type="button"
              className={styles.way}
              aria-pressed={name === chosen}
              title={name === "Hex" && depth === 0 ? "The raw bytes (x)" : undefined}
              onClick={() => choose(name)}
            >
              {name}
            </button>
          ))}
          <Menu
            trigger={<IconButton label={`More views of the ${what}`} icon="chevron" />}
            title="View as"
            actions={ALL_VIEWS.filter((name) => !shown.includes(name)).map((name) => ({
              label: name,
              run: () => choose(name),
            }))}
          />
        </div>
        <Button weight="quiet" icon="copy" onClick={() => void copyAll().catch(() => {})}>
          Copy
        </Button>
      </div>
      {allNotes.length > 0 && <p className={cut ? styles.cut : styles.notes}>{allNotes.join(" ")}</p>}
      <div className={styles.content}>
        <SelectedView
          name={chosen}
          content={content}
          headers={headers}
          kind={kind}
          charset={charset}
          media={media}
          origin={origin}
          label={what}
          depth={depth}
        />
      </div>
    </div>
  );
}

interface ShownProps {
  name: BodyViewName;
  content: Content;
  headers: readonly Header[];
  kind: BodyKind;
  charset: string | null;
  media: MediaType;
  origin: Origin | null;
  label: string;
  depth: number;
}

function SelectedView(props: ShownProps) {
  const { name, content, headers, kind, charset, media, origin, label, depth } = props;
  const view = { content, label };
  switch (name) {
    case "Tree":
    case "Lines":
      return <ReadingView {...view} rowStyle="tree" options={{ as: name, charset }} />;
    case "Fields":
      return <ReadingView {...view} rowStyle="fields" options={{ as: "Fields", charset }} />;
    case "Pretty":
      return <ReadingView {...view} rowStyle="lines" options={{ as: "Pretty", charset, columns: 120 }} />;
    case "GraphQL":
      return (
        <ReadingView
          {...view}
          rowStyle="lines"
          options={{ as: name, charset, columns: 120, isDocument: kind === "graphql" }}
        />
      );
    case "XML":
      return (
        <ReadingView
          {...view}
          rowStyle="tree"
          options={{ as: "XML", charset, language: kind === "html" ? "html" : "xml" }}
        />
      );
    case "Protobuf":
    case "gRPC":
      return <ProtoView {...view} {...{ media, origin, headers }} as={name} />;
    case "Page":
      return <PageView {...view} charset={charset} as="page" />;
    case "Image":
      return kind === "svg" ? <PageView {...view} charset={charset} as="drawing" /> : <ImageView {...view} />;
    case "Parts":
      return (
        <PartsView
          {...view}
          boundary={media.parameters.get("boundary") ?? ""}
          origin={origin}
          depth={depth}
        />
      );
    case "Text":
      return <TextView {...view} charset={charset} json={kind === "json" || kind === "graphqlRequest"} />;
    default:
      return <HexView source={content} label={label} />;
  }
}

const TYPING = "input, textarea, select, [contenteditable=true], [role=dialog], [role=menu]";

/** `x` toggles the hexadecimal view. */
function useHexKey(active: boolean, act: () => void): void {
  useEffect(() => {
    if (!active) return undefined;
    const onKey = (event: KeyboardEvent) => {
      const target = event.target instanceof Element ? event.target : null;
      const other = event.key !== "x" || event.ctrlKey || event.metaKey || event.altKey;
      if (other || event.defaultPrevented || target?.closest(TYPING) || readStored("letters") === "off")
        return;
      event.preventDefault();
      act();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  });
}
