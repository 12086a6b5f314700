// Waiting for a condition with a deadline; nothing here sleeps "long enough".

const PAUSE_MS = 50;

/** Asks until the answer is truthy; a thrown error counts as "not yet" and is told if the deadline passes. */
export async function until(what, ask, patienceMs = 15_000) {
  const deadline = Date.now() + patienceMs;
  let last = "it never became true";
  for (;;) {
    try {
      const answer = await ask();
      if (answer) return answer;
      last = `last answer: ${JSON.stringify(answer)}`;
    } catch (error) {
      last = error.message;
    }
    if (Date.now() > deadline) throw new Error(`${what}: not within ${patienceMs} ms (${last})`);
    await pause(PAUSE_MS);
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
