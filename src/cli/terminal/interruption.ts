/*
 * What ends this process: a signal, a closed output stream, or an uncaught error. The listeners are installed before
 * anything else starts.
 */

// A terminal sends Ctrl-C to npm and to this process, and npm forwards it: one key press arrives twice.
const SAME_KEY_MS = 1_000
const SIGNAL_NUMBERS = { SIGHUP: 1, SIGINT: 2, SIGPIPE: 13, SIGTERM: 15 } as const

type EndingSignal = keyof typeof SIGNAL_NUMBERS

/** The program was asked to end; nothing went wrong. */
export class InterruptedError extends Error {
  override name = 'InterruptedError'
  /** The exit code that shells use for a signal. */
  readonly exitCode: number
  readonly signal: EndingSignal

  constructor(signal: EndingSignal) {
    super(`ended by ${signal}`)
    this.signal = signal
    this.exitCode = 128 + SIGNAL_NUMBERS[signal]
  }
}

const interrupted = new AbortController()
const pressed = new AbortController()
let firstAskedAt: number | undefined

/** Aborted when the program must end. Its reason is an InterruptedError or the uncaught error. */
export const interruption: AbortSignal = interrupted.signal

/** Aborted by a second signal: the program must end without waiting. */
export const forcedStop: AbortSignal = pressed.signal

/** Ends the program as a signal would. */
export function interrupt(signal: EndingSignal) {
  const now = performance.now()
  firstAskedAt ??= now
  if (now - firstAskedAt > SAME_KEY_MS) pressed.abort()
  interrupted.abort(new InterruptedError(signal))
}

/** Installs the listeners. The entry point calls it once, before anything else. */
export function listenForInterruption(): void {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => interrupt(signal))
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      // Also for an error after the last wait for the interruption.
      process.exitCode = 1
      interrupted.abort(error)
    })
  }
  // Without a listener, EPIPE (`… | head`) would end the process and leave the embedded server running.
  process.stderr.on('error', () => undefined)
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return
    process.exitCode = 1
    process.stderr.write(`employee-ledger: the output cannot be written: ${message}\n`)
  })
}

/**
 * Runs a step. On an interruption the step has `graceMs` to finish (Infinity: as long as it takes), then it is
 * abandoned; a second signal abandons it immediately. Rejects with the reason of the interruption, also when the step
 * fails because of it.
 */
export async function interruptible<Result>(step: () => Promise<Result>, graceMs = 2_000): Promise<Result> {
  interruption.throwIfAborted()
  const finished = new AbortController()
  try {
    return await Promise.race([step(), rejectAfterGrace(graceMs, finished.signal)])
  } catch (error) {
    interruption.throwIfAborted()
    throw error
  } finally {
    finished.abort()
  }
}

function rejectAfterGrace(graceMs: number, finished: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const leave = () => reject(interruption.reason as Error)
    const giveGrace = () => {
      if (graceMs === Infinity) return
      const timer = setTimeout(leave, graceMs)
      finished.addEventListener('abort', () => clearTimeout(timer))
    }
    interruption.addEventListener('abort', giveGrace, { signal: finished })
    forcedStop.addEventListener('abort', leave, { signal: finished })
  })
}
