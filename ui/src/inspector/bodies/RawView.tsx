// A message as it was on the wire: its head, in which secrets may be masked, and the body, read in windows.
import { useEffect, useMemo, useState } from "react";
import { bodyPath } from "../../model/details";
import { useServices } from "../../services";
import { Content, JoinedBytes, RemoteBytes } from "./content";
import { HexView } from "./HexView";
import type { SideName } from "./message";
import { TextView } from "./ReadingView";

interface RawViewProps {
  id: string;
  side: SideName;
  head: Uint8Array<ArrayBuffer>;
  /** Number of body bytes on the wire. */
  bodySize: number;
  hex: boolean;
}

export function RawView({ id, side, head, bodySize, hex }: RawViewProps) {
  const { host } = useServices();
  const source = useMemo(
    () => new JoinedBytes(head, new RemoteBytes(host, `${bodyPath(id, side)}?as=wire`, bodySize)),
    [host, id, side, head, bodySize],
  );
  const [content, setContent] = useState<Content | null>(null);
  useEffect(() => {
    const opened = Content.part(source);
    // oxlint-disable-next-line react/set-state-in-effect -- the window lives as long as this effect
    setContent(opened);
    return () => opened.close();
  }, [source]);
  if (content === null) return null;
  const label = `Raw ${side}`;
  return hex ? (
    <HexView source={content} label={label} />
  ) : (
    <TextView content={content} label={label} charset={null} json={false} />
  );
}
