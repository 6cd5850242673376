import { setTimeout as pause } from 'node:timers/promises'

/** Five minutes, for a busy machine. */
const WITHIN_MS = 300_000
const PAUSE_MS = 25
/** Whoever has waited long waits a tenth of that longer, up to this: each look takes time from what it waits for. */
const PAUSE_AT_MOST_MS = 250

/** Polls until there is an answer, for what another process does without a signal. */
export async function eventually<Result>(
  what: string,
  ask: () => Promise<Result | undefined | false | null>,
): Promise<Result> {
  const started = performance.now()
  for (let waited = 0; waited < WITHIN_MS; waited = performance.now() - started) {
    const answer = await ask()
    if (answer) return answer
    await pause(Math.min(PAUSE_AT_MOST_MS, Math.max(PAUSE_MS, waited / 10)))
  }
  throw new Error(`it never came to this: ${what}`)
}
