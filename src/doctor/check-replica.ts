import type { Pool } from 'pg'
import { setTimeout as pause } from 'node:timers/promises'
import type { PlaceInLog } from '../replica/place-in-log.ts'
import { faultOf, PRIMARY_PLACE, REPLICA_PLACE } from '../replica/place-in-log.ts'
import type { Finding } from './finding.ts'
import { fail, ok, warn } from './finding.ts'

const CHECK = 'replica'
const LOOKS_EVERY_MS = 20
/** However far behind it may be, a look at an installation does not wait for longer. */
const WAITS_AT_MOST_MS = 10_000

/** Whether READ_DATABASE_URL names a standby of the database that may be read, and how far behind it is. */
export async function checkReplica(primary: Pool, replica: Pool, boundMs: number): Promise<Finding[]> {
  const ahead = (await primary.query<PlaceInLog>(PRIMARY_PLACE)).rows[0]!
  const started = performance.now()
  let behind = await placeOf(replica)
  const fault = faultOf(ahead, behind)
  if (fault !== null)
    return [
      fail(
        CHECK,
        `what READ_DATABASE_URL names ${fault}: everything is read from the primary`,
        'name a streaming standby of the database, or unset READ_DATABASE_URL',
      ),
    ]
  const patienceMs = Math.min(boundMs, WAITS_AT_MOST_MS)
  while (behind.bytes < ahead.bytes && performance.now() - started < patienceMs) {
    await pause(LOOKS_EVERY_MS)
    behind = await placeOf(replica)
  }
  const tookMs = Math.round(performance.now() - started)
  const lag =
    behind.bytes >= ahead.bytes
      ? ok(CHECK, `a standby of the database, which had all of it within ${tookMs} ms`)
      : warn(
          CHECK,
          `a standby that is more than ${patienceMs} ms behind${patienceMs < boundMs ? '' : ', so everything is read from the primary'}`,
          'see docs/operations.md, “ReplicaBehind”',
        )
  return [lag, await checkConflicts(replica)]
}

async function placeOf(replica: Pool): Promise<PlaceInLog> {
  return (await replica.query<PlaceInLog>(REPLICA_PLACE)).rows[0]!
}

/** What happens when a long read stands in the way of what is replayed. */
async function checkConflicts(replica: Pool): Promise<Finding> {
  const check = 'replica conflicts'
  const { rows } = await replica.query<{ delay: string; feedback: string }>(
    `select current_setting('max_standby_streaming_delay') as delay, current_setting('hot_standby_feedback') as feedback`,
  )
  const { delay, feedback } = rows[0]!
  if (delay === '-1')
    return warn(
      check,
      'a long read may hold up replaying for ever (max_standby_streaming_delay is -1)',
      'set max_standby_streaming_delay on the standby to some seconds: a read that is cancelled goes to the primary',
    )
  return ok(
    check,
    `a long read may hold up replaying for ${delay}, then it goes to the primary; hot_standby_feedback is ${feedback}`,
  )
}
