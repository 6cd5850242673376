import type { ClientBase } from 'pg'
import { toUuid } from '../domain/ids.ts'
import type { CompanyRecord, CompanyRow } from './read-company.ts'
import { companyRecord } from './read-company.ts'

/* The row of a company, written under the lock of its head with the events of its own stream. */

/** A company and the version of the last event of its own stream, under the lock of its head. */
export async function loadCompany(client: ClientBase, companyId: string): Promise<CompanyRecord & { version: number }> {
  const { rows } = await client.query<CompanyRow & { version: number }>(
    `select c.company_id, c.name, c.time_zone, c.created_at,
       (select max(e.stream_version) from events e where e.company_id = $1 and e.stream_id = $1) as version
     from companies c where c.company_id = $1`,
    [toUuid(companyId)],
  )
  const row = rows[0]
  if (!row) throw new Error(`the ledger of ${companyId} has no company`)
  return { ...companyRecord(row), version: row.version }
}

export async function updateTimeZone(client: ClientBase, companyId: string, timeZone: string): Promise<void> {
  await client.query('update companies set time_zone = $2 where company_id = $1', [toUuid(companyId), timeZone])
}
