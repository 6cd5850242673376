import type { Kysely } from 'kysely'
import type { Projection } from '../../projections/projection.ts'
import { isErasing } from '../domain/erasure.ts'
import { closesCall } from '../domain/events.ts'
import { readEvent } from '../ledger/codec.ts'
import { readStoredBehind } from '../ledger/read.ts'
import type { LedgerTables } from '../ledger/tables.ts'
import { findFreeCheckpoints } from './checkpoints.ts'
import type { Batch } from './project.ts'
import { assertContiguous, foldBatches } from './project.ts'

/** So many companies share a transaction. */
export const COMPANIES_TOGETHER = 64
/** Who has more events to fold is folded alone. */
const EVENTS_OF_EACH = 50

/** A company that is through: between which positions it was folded, which are one when there was nothing to fold. */
export interface FoldedTogether {
  companyId: string
  after: number
  upTo: number
}

/**
 * Folds what is new of several companies in one transaction, where each has but a few events: reading, moving checkpoints
 * and committing cost the same for one of them as for all. Returns those that are through. The others are left to
 * `foldNext`: who has many events, erases somebody, is held, whose events cannot be read, or is being folded by another
 * worker; and all of them, if the events of one cannot be folded. Throws when the database cannot be read.
 */
export async function foldTogether(
  db: Kysely<LedgerTables>,
  projection: Projection,
  companyIds: string[],
): Promise<FoldedTogether[]> {
  const checkpoints = await findFreeCheckpoints(db, projection, companyIds)
  const behind = [...checkpoints].map(([companyId, after]) => ({ companyId, after }))
  const stored = await readStoredBehind(db, behind, EVENTS_OF_EACH + 1)
  const batches = behind.flatMap(({ companyId, after }) => batchOf(companyId, after, stored.get(companyId) ?? []) ?? [])
  const idle = batches.filter(({ events }) => events.length === 0)
  const folded = await foldAll(db, projection, batches.filter(({ events }) => events.length > 0))
  return [...idle, ...folded].map(({ companyId, after, events }) => ({ companyId, after, upTo: after + events.length }))
}

/** Undefined when the company has to be folded alone. */
function batchOf(companyId: string, after: number, stored: { envelope: string; data: string | null }[]): Batch | undefined {
  if (stored.length > EVENTS_OF_EACH) return undefined
  try {
    const events = stored.map(readEvent)
    assertContiguous(events, after, companyId)
    const last = events.at(-1)
    if ((last && !closesCall(last)) || events.some(isErasing)) return undefined
    return { companyId, after, events }
  } catch {
    // Folded alone it fails the same way, and that is counted.
    return undefined
  }
}

async function foldAll(db: Kysely<LedgerTables>, projection: Projection, batches: Batch[]): Promise<Batch[]> {
  // When it fails, each alone shows whose fault it is, or that it was nobody's.
  return batches.length === 0 ? [] : foldBatches(db, projection, batches).catch(() => [])
}
