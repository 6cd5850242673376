import type { OnUnreachable } from '../../postgres/cluster/query-targets.ts'
import { errorReason } from '../../postgres/error-reason.ts'

/** The machines of a cluster that a list had to leave out. */
interface LeftOut {
  leaveOut: OnUnreachable
  /** Names them on stderr, and makes the command exit with 1; nothing if there are none. */
  report(): void
}

/** Opens the record of what a list leaves out. */
export function createLeftOut(): LeftOut {
  const reasons = new Map<string, string>()
  return {
    leaveOut: (machine, error) => void reasons.set(machine, errorReason(error)),
    report() {
      for (const [machine, reason] of reasons)
        process.stderr.write(
          `employee-ledger: without the companies on the database machine ${machine}, which could not be asked: ${reason}\n`,
        )
      if (reasons.size > 0) process.exitCode = 1
    },
  }
}
