/*
 * What asks this program to end: a signal, a reader of its output who went away, or an error that nobody caught.
 * It is of the whole process and listens from its first moment on, before there is anything to stop.
 */

// A terminal sends Ctrl-C to npm and to us, and npm passes it on: the same key arrives twice within a moment.
const SAME_KEY_MS = 1_000
const SIGNAL_NUMBERS = { SIGHUP: 1, SIGINT: 2, SIGPIPE: 13, SIGTERM: 15 } as const

export type EndingSignal = keyof typeof SIGNAL_NUMBERS

/** The program ends because somebody asked it to, not because anything went wrong. */
export class InterruptedError extends Error {
  override name = 'InterruptedError'
  /** What a shell shows of a command that did not finish. */
  readonly exitCode: number

  constructor(signal: EndingSignal) {
    super(`ended by ${signal}`)
    this.exitCode = 128 + SIGNAL_NUMBERS[signal]
  }
}

const asked = new AbortController()
const pressed = new AbortController()
let firstAskedAt: number | undefined

/** Aborted when the program is to end. Its reason is an InterruptedError, or the error that nobody caught. */
export const interruption: AbortSignal = asked.signal

/** Aborted when the program is asked once more by somebody who does not want to wait. */
export const forcedStop: AbortSignal = pressed.signal

/** Asks the program to end, as a signal would. */
export function interrupt(signal: EndingSignal): void {
  const now = performance.now()
  firstAskedAt ??= now
  if (now - firstAskedAt > SAME_KEY_MS) pressed.abort()
  asked.abort(new InterruptedError(signal))
}

/** Begins to listen. Called once, by the entry, before anything else. */
export function listenForInterruption(): void {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => interrupt(signal))
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      // Also for an error that comes when nothing waits for the interruption any more.
      process.exitCode = 1
      asked.abort(error)
    })
  }
  // Without a listener the end of `… | head` would end us at once, and leave the database's server behind.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
}

/**
 * The result of a step. When the program is to end, the step has a moment (or, with no limit, all the time it takes)
 * to come to its end by itself, unless somebody does not want to wait; after that it is left behind.
 * Rejects with the interruption's reason, also when the step fails because of it.
 */
export async function interruptible<Result>(step: () => Promise<Result>, graceMs = 2_000): Promise<Result> {
  interruption.throwIfAborted()
  const settled = new AbortController()
  try {
    return await Promise.race([step(), rejectAfterGrace(graceMs, settled.signal)])
  } catch (error) {
    interruption.throwIfAborted()
    throw error
  } finally {
    settled.abort()
  }
}

function rejectAfterGrace(graceMs: number, settled: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const leave = () => reject(interruption.reason as Error)
    const giveGrace = () => {
      if (graceMs === Infinity) return
      const timer = setTimeout(leave, graceMs)
      settled.addEventListener('abort', () => clearTimeout(timer))
    }
    interruption.addEventListener('abort', giveGrace, { signal: settled })
    forcedStop.addEventListener('abort', leave, { signal: settled })
  })
}
