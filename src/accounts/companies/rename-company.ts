import { toUuid } from '../../domain/ids.ts'
import { nextVersion } from '../../ledger/append/append-company-events.ts'
import { changeCompany, type Acting, type CompanyServices } from '../change-company.ts'
import { readCompany, type CompanyRecord } from './read-company.ts'

/** Gives a company another name. The position is null if it has that name. */
export async function renameCompany(
  services: CompanyServices,
  acting: Acting,
  name: string,
): Promise<{ company: CompanyRecord; position: number | null }> {
  return changeCompany(services, acting, 'admin', async ({ connection, db, companyId: stream }) => {
    const before = await readCompany(db, stream)
    const result = { company: { ...before, name } }
    if (name === before.name) return { events: [], result }
    const version = await nextVersion(connection, stream, stream)
    await db.updateTable('companies').set({ name }).where('company_id', '=', toUuid(stream)).execute()
    const data = { from: before.name, to: name }
    return { events: [{ type: 'CompanyRenamed', stream, version, index: null, data }], result }
  })
}
