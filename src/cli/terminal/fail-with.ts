import { isReadOnly } from '#postgres/database-errors'
import { ReadOnlyServerError } from '#postgres/session-settings'
import { errorReason, StartupError } from '#postgres/startup-error'
import { RefusedChangeError } from '#ledger/append/append-company-events'
import { InterruptedError } from './interruption.ts'
import { USAGE_ERROR } from './options.ts'
import { readSettings } from './settings.ts'

/** Wrong usage that no option's own rule finds. */
export class UsageError extends StartupError {}

/** Ends the process. Says nothing on an interruption, and otherwise writes one line that names the error. */
export function failWith(error: unknown): never {
  if (error instanceof InterruptedError) process.exit(error.exitCode)
  const line = formatError(error)
  process.stderr.write(line.startsWith('employee-ledger ') ? `${line}\n` : `employee-ledger: ${line}\n`)
  if (wantsDetails()) process.stderr.write(`${formatDetails(error)}\n`)
  process.exit(error instanceof UsageError ? USAGE_ERROR : 1)
}

function formatError(error: unknown) {
  if (isReadOnly(error)) return new ReadOnlyServerError().message
  const isPlain = error instanceof StartupError || error instanceof RefusedChangeError
  return isPlain ? error.message : `${errorReason(error)} (set LOG_LEVEL=debug for details)`
}

function wantsDetails() {
  try {
    return ['trace', 'debug'].includes(readSettings().LOG_LEVEL)
  } catch {
    return false
  }
}

function formatDetails(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause === undefined ? '' : `\ncaused by ${formatDetails(error.cause)}`
  return `${error.stack ?? error.message}${cause}`
}
