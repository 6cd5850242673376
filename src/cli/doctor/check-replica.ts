import type { Pool } from 'pg'
import { setTimeout as pause } from 'node:timers/promises'
import type { WalPosition } from '../../replica/wal-position.ts'
import { findReplicaFault, PRIMARY_WAL_POSITION, REPLICA_WAL_POSITION } from '../../replica/wal-position.ts'
import type { Finding } from './finding.ts'
import { fail, ok, warn } from './finding.ts'

const CHECK = 'replica'
const LOOKS_EVERY_MS = 20
/** An upper bound on the wait for the standby, whatever READ_STALENESS_MS allows. */
const WAITS_AT_MOST_MS = 10_000

/** Checks that READ_DATABASE_URL names a standby of the database, and measures how far it is behind. */
export async function checkReplica(primary: Pool, replica: Pool, boundMs: number): Promise<Finding[]> {
  const ahead = (await primary.query<WalPosition>(PRIMARY_WAL_POSITION)).rows[0]!
  const started = performance.now()
  let behind = await readReplicaPosition(replica)
  const fault = findReplicaFault(ahead, behind)
  if (fault !== null)
    return [
      fail(
        CHECK,
        `the database of READ_DATABASE_URL ${fault}; all reads go to the primary`,
        'set READ_DATABASE_URL to a streaming standby of this database, or unset it',
      ),
    ]
  const patienceMs = Math.min(boundMs, WAITS_AT_MOST_MS)
  while (behind.bytes < ahead.bytes && performance.now() - started < patienceMs) {
    await pause(LOOKS_EVERY_MS)
    behind = await readReplicaPosition(replica)
  }
  const tookMs = Math.round(performance.now() - started)
  const lag =
    behind.bytes >= ahead.bytes
      ? ok(CHECK, `the standby caught up within ${tookMs} ms`)
      : warn(
          CHECK,
          `the standby is more than ${patienceMs} ms behind${patienceMs < boundMs ? '' : '; all reads go to the primary'}`,
          'see docs/operations.md, “ReplicaBehind”',
        )
  return [lag, await checkConflicts(replica)]
}

async function readReplicaPosition(replica: Pool): Promise<WalPosition> {
  return (await replica.query<WalPosition>(REPLICA_WAL_POSITION)).rows[0]!
}

/** Checks that a long read on the standby cannot block replay forever. */
async function checkConflicts(replica: Pool): Promise<Finding> {
  const check = 'replica conflicts'
  const { rows } = await replica.query<{ delay: string; feedback: string }>(
    `select current_setting('max_standby_streaming_delay') as delay, current_setting('hot_standby_feedback') as feedback`,
  )
  const { delay, feedback } = rows[0]!
  if (delay === '-1')
    return warn(
      check,
      'a long read can block replay indefinitely (max_standby_streaming_delay is -1)',
      'set max_standby_streaming_delay to a few seconds on the standby; canceled reads are retried on the primary',
    )
  return ok(
    check,
    `a long read can block replay for ${delay}, then it is retried on the primary; hot_standby_feedback is ${feedback}`,
  )
}
