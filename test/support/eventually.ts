import { setTimeout as pause } from 'node:timers/promises'

const TRIES = 1_200
const PAUSE_MS = 25

/** Asks again until the answer is there: for what another process does, and has no signal for. */
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
