import type { ClientBase } from 'pg'
import { toUuid } from '../../domain/ids.ts'
import type { CompanyRecord, CompanyRow } from './read-company.ts'
import { toCompanyRecord } from './read-company.ts'

/* The row of a company, written under the lock of its head with the events of its own stream. */

/** Loads a company under the lock of its head. */
export async function loadCompany(client: ClientBase, companyId: string): Promise<CompanyRecord> {
  const { rows } = await client.query<CompanyRow>(
    'select company_id, name, time_zone, created_at from companies where company_id = $1',
    [toUuid(companyId)],
  )
  if (!rows[0]) throw new Error(`the ledger of ${companyId} has no company`)
  return toCompanyRecord(rows[0])
}

/** Stores the time zone, an IANA name, under the lock of the head. */
export async function updateTimeZone(client: ClientBase, companyId: string, timeZone: string): Promise<void> {
  await client.query('update companies set time_zone = $2 where company_id = $1', [toUuid(companyId), timeZone])
}
