// Bytes as offset, hexadecimal and characters; only the visible ones are fetched.
import { useEffect, useRef, useState } from "react";
import { Pager } from "../../parts/Pager";
import { VirtualRows } from "../../parts/VirtualRows";
import type { ByteSource } from "./content";
import styles from "./HexView.module.css";
import { hexRow, PER_ROW } from "./reading/hex";

/** Bytes per page, which bounds the bytes kept in memory. */
const PAGE_BYTES = 4 * 1024 * 1024;
const BLOCK_BYTES = 8 * 1024;

export function HexView({ source, label }: { source: ByteSource; label: string }) {
  const [page, setPage] = useState(0);
  const start = page * PAGE_BYTES;
  const length = Math.min(source.length - start, PAGE_BYTES);
  return (
    <div className={styles.view}>
      <Pager
        what={label}
        page={page}
        pages={Math.ceil(source.length / PAGE_BYTES)}
        shown={`Bytes ${start.toLocaleString("en")} to ${(start + length - 1).toLocaleString("en")}`}
        onPage={setPage}
      />
      <HexRows key={page} source={source} start={start} length={length} label={label} />
    </div>
  );
}

interface HexRowsProps {
  source: ByteSource;
  start: number;
  length: number;
  label: string;
}

function HexRows({ source, start, length, label }: HexRowsProps) {
  const blocks = useRef(new Map<number, Uint8Array | "asked">());
  const [, setVersion] = useState(0);
  const [failure, setFailure] = useState<string | null>(null);
  const mounted = useRef(true);
  useEffect(() => {
    mounted.current = true;
    return () => {
      mounted.current = false;
    };
  }, []);
  const need = (from: number, to: number) => {
    const cached = blocks.current;
    const perBlock = BLOCK_BYTES / PER_ROW;
    for (let block = Math.floor(from / perBlock); block * perBlock < to; block += 1) {
      if (cached.has(block)) continue;
      cached.set(block, "asked");
      const at = start + block * BLOCK_BYTES;
      source.read(at, Math.min(at + BLOCK_BYTES, start + length)).then(
        (bytes) => {
          cached.set(block, bytes);
          if (mounted.current) setVersion((version) => version + 1);
        },
        (thrown: unknown) => {
          cached.delete(block);
          if (mounted.current)
            setFailure(thrown instanceof Error ? thrown.message : "It could not be loaded.");
        },
      );
    }
  };
  const rowAt = (row: number) => {
    const block = blocks.current.get(Math.floor((row * PER_ROW) / BLOCK_BYTES));
    if (block === undefined || block === "asked") return null;
    return hexRow(block, (row * PER_ROW) % BLOCK_BYTES, start + row * PER_ROW, start + length);
  };
  return (
    <>
      {failure !== null && <p className={styles.failure}>These bytes cannot be shown. {failure}</p>}
      <VirtualRows count={Math.ceil(length / PER_ROW)} height={19} label={label} role="region" onSight={need}>
        {(row) => {
          const shown = rowAt(row);
          return (
            <div className={styles.row}>
              <span className={styles.offset}>{shown?.offset ?? ""}</span>
              <span>{shown?.hex ?? ""}</span>
              <span className={styles.text}>{shown?.text ?? ""}</span>
            </div>
          );
        }}
      </VirtualRows>
    </>
  );
}
