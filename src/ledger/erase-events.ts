import type { ClientBase } from 'pg'
import type { RecordedEvent } from '../domain/events.ts'
import { fromUuid, toUuid } from '../domain/ids.ts'
import { canonicalJson } from './canonical-json.ts'
import { readEvent } from './codec.ts'

/*
 * What an erasure reads and takes away, beside the events. All of it runs under the lock of the company's head, but for
 * the looking that comes before.
 */

type Queryable = Pick<ClientBase, 'query'>

/**
 * Nulls data and salt of the events that the erasing event at this position names. The database's own function does it
 * and refuses, with the whole transaction, what that event does not name or may not reach.
 */
export async function eraseNamedBy(client: ClientBase, companyId: string, position: number): Promise<void> {
  await client.query('select erase_events($1, $2)', [toUuid(companyId), position])
}

/** The position of a company's head; null when there is no such company. */
export async function headPosition(db: Queryable, companyId: string): Promise<number | null> {
  const { rows } = await db.query<{ position: number }>('select position from heads where company_id = $1', [toUuid(companyId)])
  return rows[0]?.position ?? null
}

const EVENTS_PER_PAGE = 1_000

/** The events of a stream, in order, in pages. */
export async function* streamPages(db: Queryable, companyId: string, stream: string): AsyncGenerator<RecordedEvent[]> {
  for (let after = 0; ; ) {
    const { rows } = await db.query<{ envelope: string; data: string | null }>(
      `select envelope, data from events where company_id = $1 and stream_id = $2 and stream_version > $3
       order by stream_version limit $4`,
      [toUuid(companyId), toUuid(stream), after, EVENTS_PER_PAGE],
    )
    const events = rows.map(readEvent)
    if (events.length > 0) yield events
    if (events.length < EVENTS_PER_PAGE) return
    after = events.at(-1)!.version
  }
}

const LOOK_UPS = { id: 'employee_id', email: 'email', external_id: 'external_id' } as const

/** The id of the employee who has this id, e-mail address or external id now; null when nobody has. */
export async function findEmployeeId(
  db: Queryable,
  companyId: string,
  by: keyof typeof LOOK_UPS,
  value: string,
): Promise<string | null> {
  const { rows } = await db.query<{ employee_id: string }>(
    `select employee_id from employee_snapshots where company_id = $1 and ${LOOK_UPS[by]} = $2`,
    [toUuid(companyId), by === 'id' ? toUuid(value) : value],
  )
  return rows[0] ? fromUuid('emp', rows[0].employee_id) : null
}

/** How many positions one statement searches. */
const SEARCHED_AT_ONCE = 50_000

/** Events of employees behind a position in whose data a text stands, up to the end of the company's ledger. */
export async function* employeeEventsWith(
  db: Queryable,
  companyId: string,
  text: string,
  after: number,
): AsyncGenerator<RecordedEvent[]> {
  const head = (await headPosition(db, companyId)) ?? 0
  for (let from = after; from < head; from += SEARCHED_AT_ONCE) {
    const { rows } = await db.query<{ envelope: string; data: string }>(
      `select envelope, data from events where company_id = $1 and position > $2 and position <= $3
         and data is not null and strpos(data, $4) > 0 and strpos(envelope, '"type":"Employee') > 0
       order by position`,
      [toUuid(companyId), from, from + SEARCHED_AT_ONCE, canonicalJson(text)],
    )
    yield rows.map(readEvent)
  }
}

/** Those among these positions whose events still have data, in order. */
export async function withData(client: ClientBase, companyId: string, positions: number[]): Promise<number[]> {
  const { rows } = await client.query<{ position: number }>(
    `select position from events where company_id = $1 and position = any($2::bigint[]) and data is not null
     order by position`,
    [toUuid(companyId), positions],
  )
  return rows.map(({ position }) => position)
}

/** Deletes an employee's snapshot, so that the e-mail address and the external id are free. */
export async function deleteSnapshot(client: ClientBase, companyId: string, employeeId: string): Promise<void> {
  await client.query('delete from employee_snapshots where company_id = $1 and employee_id = $2', [
    ...[toUuid(companyId), toUuid(employeeId)],
  ])
}
