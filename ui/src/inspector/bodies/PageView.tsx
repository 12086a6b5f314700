// A captured page or drawing in a frame without scripts, forms, origin and network.
import { useEffect, useRef, useState } from "react";
import { decodeText } from "../../model/bytes";
import type { Content } from "./content";
import styles from "./BodyView.module.css";
import { harmless, PAGE_LIMIT, pictured } from "./sandbox";
import { messageOf } from "./useHandle";

interface PageViewProps {
  content: Content;
  charset: string | null;
  as: "page" | "drawing";
  label: string;
}

export function PageView({ content, charset, as, label }: PageViewProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    let wanted = true;
    content.read(0, Math.min(content.length, PAGE_LIMIT)).then(
      (bytes) => {
        if (!wanted || !frame.current) return;
        const text = decodeText(bytes, charset);
        frame.current.srcdoc = as === "page" ? harmless(text) : pictured(text);
      },
      (thrown: unknown) => wanted && setFailure(messageOf(thrown)),
    );
    return () => {
      wanted = false;
    };
  }, [content, charset, as]);
  if (failure !== null) return <p className={styles.none}>This cannot be shown. {failure}</p>;
  return (
    <div className={styles.page}>
      <p className={styles.notes}>
        Shown without scripts, without anything from the network, and with links that lead nowhere.
        {content.length > PAGE_LIMIT && ` Only the first ${PAGE_LIMIT / 1024} kB are shown.`}
      </p>
      <iframe ref={frame} className={styles.frame} title={label} sandbox="" referrerPolicy="no-referrer" />
    </div>
  );
}
