import { listRefusalCauses, type RefusalFilter, type RefusedOfCause } from '#projections/bulk-user-logs/cause-queries'
import { findCause } from '#projections/bulk-user-logs/refused-errors'
import type { RecordedEvent } from '#domain/events'
import { wordCause } from '#domain/record-faults'
import type { LedgerDb } from '#ledger/tables'
import { readPeople } from './record-people.ts'
import type { RecordNames } from './refused-records.ts'

/** A cause with what the ledger tells of it: the message of its newest record, and some of its people. */
export interface ShownCause extends Omit<RefusedOfCause, 'examples'> {
  /** What its records have in common, so no employee's id; null if they are erased. */
  message: string | null
  examples: RefusedExample[]
}

/** A refused record by the name of its person. */
export interface RefusedExample extends RecordNames {
  logId: string
  index: number
  employeeId: string | null
}

type Rejected = Extract<RecordedEvent, { type: 'EmployeeRecordRejected' }>

/** The events of records may be as large as a body. */
const EVENTS_AT_ONCE = 100

/** Reads why records of a period were refused, the causes with the most records first. */
export async function readRefusalCauses(
  db: LedgerDb,
  companyId: string,
  filter: RefusalFilter,
  limit: number,
): Promise<{ causes: ShownCause[]; isMore: boolean; isCut: boolean }> {
  const { causes, ...found } = await listRefusalCauses(db, companyId, filter, limit)
  const positions = [...new Set(causes.flatMap(({ examples }) => examples))]
  const records = new Map<number, RefusedExample & { event: Rejected }>()
  for (let from = 0; from < positions.length; from += EVENTS_AT_ONCE)
    for (const record of await readExamples(db, companyId, positions.slice(from, from + EVENTS_AT_ONCE)))
      records.set(record.event.position, record)
  return {
    ...found,
    causes: causes.map((cause) => {
      const examples = cause.examples.flatMap((position) => records.get(position) ?? [])
      const [newest] = examples
      const error = newest?.event.data!.errors.find((one) => {
        const { code, field, kind } = findCause(one, newest.index)
        return code === cause.code && field === cause.field && kind === cause.kind
      })
      const message = error?.params ? wordCause(error.params) : (error?.message ?? null)
      return { ...cause, message, examples: examples.map(withoutEvent) }
    }),
  }
}

function withoutEvent({ logId, index, employeeId, name, email, external_id }: RefusedExample): RefusedExample {
  return { logId, index, employeeId, name, email, external_id }
}

async function readExamples(db: LedgerDb, companyId: string, positions: number[]) {
  return (await readPeople(db, companyId, positions)).flatMap(({ event, ...names }) =>
    event.type === 'EmployeeRecordRejected' ? { ...names, event, logId: event.call_id!, index: event.index ?? 0 } : [],
  )
}
