// What appears while a pointer is down can move the target of the click away: it waits until the click is over.

let isDown = false;
let isWatching = false;

/** Follows the pointers from now on. */
export function watchPointers(): void {
  if (isWatching) return;
  isWatching = true;
  window.addEventListener("pointerdown", () => (isDown = true), true);
  for (const end of ["pointerup", "pointercancel"])
    window.addEventListener(end, () => (isDown = false), true);
}

/** Runs at once, or after the click that is under way. */
export function afterPointer(run: () => void): void {
  if (!isDown) return run();
  // The click follows the release of the pointer in the same task.
  const ended = () => {
    window.removeEventListener("pointerup", ended, true);
    window.removeEventListener("pointercancel", ended, true);
    setTimeout(run);
  };
  window.addEventListener("pointerup", ended, true);
  window.addEventListener("pointercancel", ended, true);
}
