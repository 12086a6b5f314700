// An address as a QR code. It is loaded when one is shown.
import createCode from "qrcode-generator";
import { useMemo } from "react";

/** Light modules around the code, which readers need (ISO/IEC 18004, section 6.3.8). */
const QUIET_ZONE = 4;

export default function QrCode({ text }: { text: string }) {
  const { size, path } = useMemo(() => {
    const code = createCode(0, "M");
    // Addresses are ASCII: other letters are encoded in them.
    code.addData(text);
    code.make();
    const modules = code.getModuleCount();
    const places = Array.from({ length: modules }, (_, place) => place);
    const rows = places.map((row) => places.map((column) => code.isDark(row, column)));
    return { size: modules + 2 * QUIET_ZONE, path: pathOf(rows) };
  }, [text]);
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      role="img"
      aria-label={`QR code of ${text}`}
    >
      <path d={path} transform={`translate(${QUIET_ZONE} ${QUIET_ZONE})`} />
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
