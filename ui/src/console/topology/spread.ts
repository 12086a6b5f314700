// Moves things in a row apart as little as possible, in their order.

interface Wish {
  /** The wished middle. */
  at: number;
  size: number;
}

/** The middles: each as near to its wish as the others permit. */
export function spread(wishes: readonly Wish[], gap: number): number[] {
  // Wishes less the room of everything before them; those that decrease are pooled at their mean.
  const pools: { sum: number; count: number }[] = [];
  const offsets: number[] = [];
  let room = 0;
  for (const { at, size } of wishes) {
    offsets.push(room + size / 2);
    let pool = { sum: at - room - size / 2, count: 1 };
    for (let last = pools.at(-1); last && mean(last) > mean(pool); last = pools.at(-1)) {
      pool = { sum: last.sum + pool.sum, count: last.count + pool.count };
      pools.pop();
    }
    pools.push(pool);
    room += size + gap;
  }
  const moved = pools.flatMap((pool) => Array<number>(pool.count).fill(mean(pool)));
  return moved.map((value, index) => value + (offsets[index] ?? 0));
}

function mean({ sum, count }: { sum: number; count: number }): number {
  return sum / count;
}
