import { errorReason, StartupError } from '#postgres/startup-error'
import { RefusedChangeError } from '#ledger/append/append-company-events'
import { InterruptedError } from './interruption.ts'
import { readSettings } from './settings.ts'

/** Exits: silently on an interruption, otherwise with code 1 and one line that names the error. */
export function failWith(error: unknown): never {
  if (error instanceof InterruptedError) process.exit(error.exitCode)
  const line = formatError(error)
  process.stderr.write(line.startsWith('employee-ledger ') ? `${line}\n` : `employee-ledger: ${line}\n`)
  if (wantsDetails()) process.stderr.write(`${formatDetails(error)}\n`)
  process.exit(1)
}

function formatError(error: unknown): string {
  const isPlain = error instanceof StartupError || error instanceof RefusedChangeError
  return isPlain ? error.message : `${errorReason(error)} (set LOG_LEVEL=debug for details)`
}

function wantsDetails(): boolean {
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
