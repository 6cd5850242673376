import type { ClientBase } from 'pg'
import { fromUuid, toUuid } from '#domain/ids'
import type { Queryable } from '#postgres/pool'

/*
 * Reads and deletes for an erasure, apart from appending events. Everything runs under the lock of the company's head,
 * except for the search that comes first.
 */

/**
 * Erases the data and salt of the events that the erasing event at a position names. The database function refuses, and
 * aborts the transaction, if any of them may not be erased by it. Also deletes the key of the company's evidence file,
 * which may contain the data.
 */
export async function eraseNamedBy(client: ClientBase, companyId: string, position: number) {
  await client.query('select erase_events($1, $2)', [toUuid(companyId), position])
  await client.query('delete from evidence_files where company_id = $1', [toUuid(companyId)])
}

/** The head position of a company; null if there is no such company. */
export async function loadHeadPosition(db: Queryable, companyId: string) {
  const { rows } = await db.query<{ position: number }>('select position from heads where company_id = $1', [
    toUuid(companyId),
  ])
  return rows[0]?.position ?? null
}

const LOOK_UPS = { id: 'employee_id', email: 'email', external_id: 'external_id', user_name: 'user_name' } as const

/** The id of the employee who currently has this id, email address or external id; null if there is none. */
export async function findEmployeeId(
  db: Queryable,
  companyId: string,
  by: keyof typeof LOOK_UPS,
  value: string,
): Promise<string | null> {
  const { rows } = await db.query<{ employee_id: string }>(
    `select employee_id from employee_directory where company_id = $1 and ${LOOK_UPS[by]} = $2`,
    [toUuid(companyId), by === 'id' ? toUuid(value) : value],
  )
  return rows[0] ? fromUuid('emp', rows[0].employee_id) : null
}

/** Filters positions to the events that still have data, in order. */
export async function filterWithData(
  db: Queryable,
  companyId: string,
  positions: readonly number[],
): Promise<number[]> {
  const { rows } = await db.query<{ position: number }>(
    `select position from events where company_id = $1 and position = any($2::bigint[]) and data is not null
     order by position`,
    [toUuid(companyId), positions],
  )
  return rows.map(({ position }) => position)
}
