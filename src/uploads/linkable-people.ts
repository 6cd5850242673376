import type { Pool } from 'pg'
import { isLinkable } from '#domain/calls/call-decision'
import { NOBODY } from '#domain/calls/uniqueness'
import { loadEmployees, findWithoutExternalId } from '#ledger/read/read-employees'
import type { StoredUpload } from '#ledger/uploads/read-uploads'
import type { RowKeys } from '#spreadsheets/rows/plan-rows'

/** The rows that are looked up at once, and the people who are loaded at once. */
const ROWS_AT_ONCE = 5_000
const PEOPLE_AT_ONCE = 500

/** Counts the rows of an upsert that would update people without an external id, if they were found by email address. */
export async function countLinkable(
  pool: Pool,
  { companyId, operation }: Pick<StoredUpload, 'companyId' | 'operation'>,
  rows: readonly RowKeys[],
): Promise<number> {
  if (operation !== 'upsert') return 0
  let count = 0
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    const ids = new Map<string, string>()
    for (const { id, email, external_id: externalId } of rows.slice(at, at + ROWS_AT_ONCE))
      if (id === undefined && email !== undefined && externalId !== undefined) ids.set(email, externalId)
    const emails = await findWithoutExternalId(pool, companyId, [...ids.keys()])
    for (let from = 0; from < emails.length; from += PEOPLE_AT_ONCE) {
      const some = emails.slice(from, from + PEOPLE_AT_ONCE)
      const naming = { ...NOBODY, emails: some, externalIds: some.map((email) => ids.get(email)!) }
      const people = (await loadEmployees(pool, [{ companyId, naming }])).map(({ employee }) => employee)
      const held = new Set(people.map(({ external_id: externalId }) => externalId))
      count += people.filter((one) => isLinkable(one) && ids.has(one.email!) && !held.has(ids.get(one.email!)!)).length
    }
  }
  return count
}
