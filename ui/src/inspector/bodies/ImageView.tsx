// A raster image from the bytes themselves. One that would decode to a huge size is shown only on request.
import { useEffect, useState } from "react";
import { Button } from "../../parts/Button";
import { MAX_READ_BYTES, type Content } from "./content";
import styles from "./BodyView.module.css";
import { MAX_PIXELS } from "./reading/imageInfo";
import type { ImageInfo } from "./reading/imageInfo";
import { messageOf } from "./useReading";

type Shown =
  | { state: "reading" }
  | { state: "failed"; message: string }
  | { state: "known"; image: ImageInfo }
  | { state: "shown"; image: ImageInfo; address: string };

export function ImageView({ content, label }: { content: Content; label: string }) {
  const [shown, setShown] = useState<Shown>({ state: "reading" });
  const [forced, setForced] = useState(false);
  const [natural, setNatural] = useState<string | null>(null);
  useEffect(() => {
    let address: string | null = null;
    let active = true;
    const show = async () => {
      if (content.length > MAX_READ_BYTES) throw new Error("It is too large.");
      await content.load();
      const image = await content.worker.call("picture");
      if (image === null) throw new Error("These bytes are not an image that can be displayed here.");
      const isHuge = (image.width ?? 0) * (image.height ?? 0) > MAX_PIXELS;
      if (isHuge && !forced) return active && setShown({ state: "known", image });
      const bytes = await content.read(0, content.length);
      if (!active) return undefined;
      // The type is detected from the bytes, never taken from the sender: a page or a drawing cannot pass as an image.
      address = URL.createObjectURL(new Blob([bytes], { type: image.type }));
      return setShown({ state: "shown", image, address });
    };
    show().catch((thrown: unknown) => active && setShown({ state: "failed", message: messageOf(thrown) }));
    return () => {
      active = false;
      if (address !== null) URL.revokeObjectURL(address);
    };
  }, [content, forced]);

  switch (shown.state) {
    case "reading":
      return <p className={styles.none}>Loading…</p>;
    case "failed":
      return <p className={styles.none}>This picture cannot be shown. {shown.message} View it as hex.</p>;
    case "known": {
      const { width, height } = shown.image;
      return (
        <div className={styles.none}>
          <p>
            Decoded, this image has {width?.toLocaleString("en")} × {height?.toLocaleString("en")} pixels. It
            would need a lot of memory.
          </p>
          <Button onClick={() => setForced(true)}>Show it anyway</Button>
        </div>
      );
    }
    case "shown":
      return (
        <figure className={styles.image}>
          <img
            src={shown.address}
            alt={label}
            decoding="async"
            onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
              setNatural(`${naturalWidth.toLocaleString("en")} × ${naturalHeight.toLocaleString("en")}`)
            }
            onError={() => setShown({ state: "failed", message: "It is damaged, or not all of captured." })}
          />
          <figcaption>
            {shown.image.type}
            {natural && `, ${natural}`}
          </figcaption>
        </figure>
      );
  }
}
