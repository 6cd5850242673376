import { AsyncLocalStorage } from 'node:async_hooks'

const READERS = new AsyncLocalStorage<AbortSignal>()

/**
 * Runs a read. When the signal aborts, the connection that it uses is closed, and PostgreSQL ends the statement within
 * CHECKED_EVERY; what the read asks afterwards is refused with the reason of the signal.
 */
export function readUntil<Result>(signal: AbortSignal, read: () => Result): Result {
  return READERS.run(signal, read)
}

/** The signal of the read that the caller is part of, if any. */
export function signalOfRead(): AbortSignal | undefined {
  return READERS.getStore()
}

/** How often PostgreSQL checks, while a statement runs, whether its client is still there. */
export const CHECKED_EVERY = '1s'
