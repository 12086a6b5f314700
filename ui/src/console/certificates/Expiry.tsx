// The expiry of a certificate as a state: an icon and words; the colour is additional.
import { useNow } from "../../parts/hooks";
import { State } from "../../parts/State";
import { expiry, expiryTone } from "../overview/remarks";

export function Expiry({ at, renewed = false }: { at: string; renewed?: boolean }) {
  const now = useNow(60_000);
  const tone = expiryTone(at, now);
  const words = expiry(at, now);
  return (
    <State tone={tone} icon={tone === "ok" ? "clock" : tone === "warn" ? "alert" : "cross"}>
      {renewed && tone !== "bad" ? `${words}, renewed automatically` : words}
    </State>
  );
}
