// Scrolling as with a wheel, and how long the page takes for it.
import type { Locator } from "@playwright/test";

/** The milliseconds between frames while the list moves by these pixels, one of them in each frame. */
export function frameTimes(list: Locator, pixels: readonly number[]): Promise<number[]> {
  return list.evaluate(
    (list, pixels) =>
      new Promise<number[]>((done) => {
        const took: number[] = [];
        let last = performance.now();
        const step = (now: number) => {
          list.scrollTop += pixels[took.length] ?? 0;
          took.push(now - last);
          last = now;
          if (took.length < pixels.length) requestAnimationFrame(step);
          else done(took);
        };
        requestAnimationFrame(step);
      }),
    pixels,
  );
}
