import { inTurns } from '#admission/turns'
import type { ReadRecord } from '#domain/calls/call-records'
import { planUndo } from '#domain/calls/plan-undo'
import type { RecordedEvent } from '#domain/events'
import type { EventTypeWith } from '#domain/event-types'
import type { FoundCall } from '../corrections/find-calls.ts'
import { readEventPage } from '../read/read-events.ts'
import type { LedgerDb } from '../tables.ts'

/** The events that change an employee. A record has two at most. */
const CHANGING = [
  'EmployeeCreated',
  'EmployeeUpdated',
  'EmployeeDeactivated',
  'EmployeeReactivated',
] as const satisfies EventTypeWith<{ stream: 'emp' }>[]
const EVENTS_OF_RECORD = 2
const PAGE = { limit: 1_000, bytes: 2 * 1024 * 1024 }

/** Reads what a call changed, as the records that take it back. A call that has failed changed nothing. */
export async function readUndo(
  db: LedgerDb,
  companyId: string,
  { id, position, status, total }: Pick<FoundCall, 'id' | 'position' | 'status' | 'total'>,
): Promise<ReadRecord[]> {
  if (status === 'Failed') return []
  const events: RecordedEvent[] = []
  // The events of a call are contiguous, and the one that closes it is the last.
  let after = Math.max(0, position - 1 - EVENTS_OF_RECORD * total)
  for (let isEnd = false; !isEnd;) {
    const page = await readEventPage(db, companyId, { after, upTo: position - 1, types: CHANGING }, PAGE)
    for (const event of page.events) if (event.call_id === id) events.push(event)
    after = page.events.at(-1)?.position ?? position
    isEnd = page.isEnd
  }
  const records: ReadRecord[] = []
  for await (const record of inTurns(planUndo(events))) records.push(record)
  return records
}
