// An address as a QR code. It is loaded when one is shown.
import { useMemo } from "react";
import { encode } from "uqr";

/** Light modules around the code, which readers need (ISO/IEC 18004, section 6.3.8). */
const QUIET_ZONE = 4;

export default function QrCode({ text, className }: { text: string; className?: string | undefined }) {
  const { size, path } = useMemo(() => {
    const { size: modules, data } = encode(text, { ecc: "M", border: QUIET_ZONE });
    return { size: modules, path: pathOf(data) };
  }, [text]);
  return (
    <svg
      className={className}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      role="img"
      aria-label={`QR code of ${text}`}
    >
      <path d={path} />
    </svg>
  );
}

/** Dark modules of a row that touch are one rectangle. */
export function pathOf(rows: readonly (readonly boolean[])[]): string {
  return rows
    .flatMap((row, y) =>
      row.flatMap((isDark, x) => {
        if (!isDark || row[x - 1]) return [];
        const end = row.indexOf(false, x);
        return [`M${x} ${y}h${(end === -1 ? row.length : end) - x}v1H${x}Z`];
      }),
    )
    .join("");
}
