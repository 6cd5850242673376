import { sql } from 'kysely'
import { toUuid } from '../../domain/ids.ts'
import { appendCompanyEvents, OPERATOR } from '../../ledger/append/append-company-events.ts'
import { onClient } from '../../postgres/kysely.ts'
import type { CompanyServices } from '../change-company.ts'

/** Registers a company and opens its ledger. Returns its id. */
export async function registerCompany({ pool, newId }: CompanyServices, name: string): Promise<string> {
  const companyId = newId('com')
  await appendCompanyEvents(pool, { companyId, actor: OPERATOR, isNew: true }, async (client, now) => {
    await sql`insert into companies (company_id, name, created_at)
      values (${toUuid(companyId)}, ${name}, ${now})`.execute(onClient(client))
    const place = { stream: companyId, version: 1, index: null }
    return { events: [{ ...place, type: 'CompanyRegistered', data: { name } }], result: null }
  })
  return companyId
}
