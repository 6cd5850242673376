import { toUuid } from '../../domain/ids.ts'
import { appendCompanyEvents, OPERATOR } from '../../ledger/append/append-company-events.ts'
import type { CompanyServices } from '../change-company.ts'

/** Registers a company and opens its ledger. Returns its id. */
export async function registerCompany({ pool, newId }: CompanyServices, name: string): Promise<string> {
  const companyId = newId('com')
  await appendCompanyEvents(pool, { companyId, actor: OPERATOR, isNew: true }, async (client, now) => {
    await client.query('insert into companies (company_id, name, created_at) values ($1, $2, $3)', [
      toUuid(companyId),
      name,
      now,
    ])
    const registered = {
      type: 'CompanyRegistered',
      stream: companyId,
      version: 1,
      index: null,
      data: { name },
    } as const
    return { events: [registered], result: null }
  })
  return companyId
}
