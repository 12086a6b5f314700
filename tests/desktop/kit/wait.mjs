// Waiting for a condition with a timeout, never for a fixed time.

const POLL_INTERVAL_MS = 50;

/** Polls until the value is truthy. A thrown error counts as "not yet" and is reported after the timeout. */
export async function until(what, ask, timeoutMs = 15_000) {
  const deadline = Date.now() + timeoutMs;
  let last = "it never became true";
  for (;;) {
    try {
      const answer = await ask();
      if (answer) return answer;
      last = `last value: ${JSON.stringify(answer)}`;
    } catch (error) {
      last = error.message;
    }
    if (Date.now() > deadline) throw new Error(`${what}: not within ${timeoutMs} ms (${last})`);
    await pause(POLL_INTERVAL_MS);
  }
}

export function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export function equal(actual, expected, what) {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) {
    throw new Error(`${what}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`);
  }
}

export function check(condition, what) {
  if (!condition) throw new Error(what);
}
