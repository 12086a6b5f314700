// What is said while something loads: nothing for a moment, because most things are there by then.
import { useEffect, useState } from "react";

/** Time in milliseconds after which a wait is noticed. */
const NOTICED_MS = 150;

export function Wait({ className, children }: { className?: string | undefined; children: string }) {
  const [noticed, setNoticed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setNoticed(true), NOTICED_MS);
    return () => clearTimeout(timer);
  }, []);
  return noticed && <p className={className}>{children}</p>;
}
