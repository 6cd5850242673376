import { setTimeout as pause } from 'node:timers/promises'

/** Five minutes, for a busy machine. */
const TRIES = 12_000
const PAUSE_MS = 25

/** Polls until there is an answer, for what another process does without a signal. */
export async function eventually<Result>(
  what: string,
  ask: () => Promise<Result | undefined | false | null>,
): Promise<Result> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const answer = await ask()
    if (answer) return answer
    await pause(PAUSE_MS)
  }
  throw new Error(`it never came to this: ${what}`)
}
