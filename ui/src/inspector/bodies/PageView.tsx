// A captured page or drawing in a frame without scripts, forms, origin and network.
import { useEffect, useRef, useState } from "react";
import { trustedInertHtml } from "../../parts/trusted";
import type { Content } from "./content";
import styles from "./BodyView.module.css";
import { messageOf } from "./useReading";

interface PageViewProps {
  content: Content;
  charset: string | null;
  as: "page" | "drawing";
  label: string;
}

export function PageView({ content, charset, as, label }: PageViewProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [cut, setCut] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    let active = true;
    content
      .load()
      .then(() => content.worker.call("sanitize", charset, as))
      .then(
        (page) => {
          if (!active || !frame.current) return;
          setCut(page.cut);
          frame.current.srcdoc = trustedInertHtml(page.markup);
        },
        (thrown: unknown) => active && setFailure(messageOf(thrown)),
      );
    return () => {
      active = false;
    };
  }, [content, charset, as]);
  if (failure !== null) return <p className={styles.none}>This cannot be shown. {failure}</p>;
  return (
    <div className={styles.page}>
      <p className={styles.notes}>
        Displayed without scripts, network access and working links.
        {cut && " Only the beginning of this long page is shown."}
      </p>
      <iframe ref={frame} className={styles.frame} title={label} sandbox="" referrerPolicy="no-referrer" />
    </div>
  );
}
