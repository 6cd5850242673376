import { StartupError } from '../database/startup-error.ts'
import { RefusedChangeError } from '../ledger/append-company-events.ts'

/** Ends the program with exit code 1: in one line where the fault is the user's or the surroundings', else in full. */
export function failWith(error: unknown): never {
  const isPlain = error instanceof StartupError || error instanceof RefusedChangeError
  const text = isPlain ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.stderr.write(`employee-ledger: ${text}\n`)
  process.exit(1)
}
