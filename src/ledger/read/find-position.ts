import { toUuid } from '../../domain/ids.ts'
import { binarySearch } from './binary-search.ts'
import type { LedgerDb } from '../tables.ts'

/*
 * Finds positions by binary search: times never go back within a company, and the events of a call are contiguous. A
 * million events take about twenty single-row reads.
 */

/**
 * The last position recorded before a time (RFC 3339 UTC with milliseconds) or, if inclusive, at it; 0 if there is
 * none.
 */
export async function findLastPositionBefore(
  db: LedgerDb,
  companyId: string,
  head: number,
  time: string,
  { inclusive }: { inclusive: boolean },
): Promise<number> {
  const first = await binarySearch(1, head, async (position) => {
    const { recorded_at: recordedAt } = await readPlace(db, companyId, position)
    return inclusive ? recordedAt > time : recordedAt >= time
  })
  return first - 1
}

/** The positions of the first and last event of a call; null if the company has no such call. */
export async function findPositionsOfCall(
  db: LedgerDb,
  companyId: string,
  head: number,
  callId: string,
): Promise<{ first: number; last: number } | null> {
  const call = toUuid(callId)
  // A call has its own stream, whose first event belongs to the call.
  const streamEvent = await db
    .selectFrom('events')
    .select('position')
    .where('company_id', '=', toUuid(companyId))
    .where('stream_id', '=', call)
    .where('stream_version', '=', 1)
    .where('position', '<=', head)
    .executeTakeFirst()
  if (!streamEvent) return null
  const isOfCall = async (position: number) => (await readPlace(db, companyId, position)).call_id === call
  if (!(await isOfCall(streamEvent.position))) return null
  const first = await binarySearch(1, streamEvent.position, isOfCall)
  const next = await binarySearch(streamEvent.position + 1, head, async (position) => !(await isOfCall(position)))
  return { first, last: next - 1 }
}

function readPlace(
  db: LedgerDb,
  companyId: string,
  position: number,
): Promise<{ recorded_at: string; call_id: string | null }> {
  return db
    .selectFrom('events')
    .select(['recorded_at', 'call_id'])
    .where('company_id', '=', toUuid(companyId))
    .where('position', '=', position)
    .executeTakeFirstOrThrow()
}
