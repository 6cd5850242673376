import { HEADER_BYTES } from '../../../src/ledger/integrity/codec.ts'
import type { LedgerDb } from '../../../src/ledger/tables.ts'
import { meddledDatabase } from './meddled-database.ts'

/** What one statement reads from the ledger. */
export interface EventRead {
  events: number
  bytes: number
}

/** The same database, and what each statement reads of events through it. */
export function countedReads(db: LedgerDb): { db: LedgerDb; reads: EventRead[] } {
  const reads: EventRead[] = []
  const counted = meddledDatabase(db, async ({ rows }) => {
    const read = readOf(rows)
    if (read.events > 0) reads.push(read)
  })
  return { db: counted, reads }
}

/** How many of these rows are events, and how many bytes they have. */
export function readOf(rows: readonly object[]): EventRead {
  const sizes = rows.flatMap(sizeOf)
  return { events: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) }
}

function sizeOf(row: { stream_id?: unknown; data?: unknown }): number[] {
  const { stream_id: stream, data } = row
  if (stream === undefined || data === undefined) return []
  return [HEADER_BYTES + (typeof data === 'string' ? Buffer.byteLength(data) : 0)]
}

/** The statements that read more bytes than this by more than one event. */
export function beyond(reads: readonly EventRead[], bytes: number): EventRead[] {
  return reads.filter((read) => read.bytes > bytes && read.events > 1)
}
