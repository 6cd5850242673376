import { newId } from '#ledger/new-id'
import { addUser } from '#accounts/users/change-user'
import {
  changeSettings,
  type CompanySettings,
  type CompanyRecord,
  type CompanyRow,
  renameCompany,
  registerCompany,
} from '#accounts/companies/companies'
import { fromUuid, toUuid } from '#domain/ids'
import { StartupError } from '#postgres/startup-error'
import { withStore } from '../terminal/with-store.ts'
import { changeAsOperator, type CompanyOptions } from './operator.ts'

/** `company create`: registers a company and its first administrator. */
export async function createCompany(options: { name: string; adminEmail: string; adminName: string }) {
  return withStore(async ({ store: { pool } }) => {
    const companyId = await registerCompany({ pool, newId }, options.name)
    const { adminEmail: email, adminName: name } = options
    const admin = await addUser({ pool, newId }, { companyId, email, name, role: 'admin' })
    return { company_id: companyId, name: options.name, admin }
  })
}

/** `company list`: lists the companies, oldest first. */
export async function listCompanies() {
  const rows = await withStore(({ store: { db } }) =>
    db
      .selectFrom('companies as c')
      .innerJoin('heads as h', 'h.company_id', 'c.company_id')
      .select(['c.company_id', 'c.name', 'c.created_at', 'h.position'])
      .execute(),
  )
  const companies = rows.map((row) => ({ ...row, company_id: fromUuid('com', row.company_id) }))
  return companies.toSorted((one, other) => (one.company_id < other.company_id ? -1 : 1))
}

/** `company show`: shows a company, with its id as a UUID. */
export async function showCompany({ company }: CompanyOptions) {
  return withStore(async ({ store: { db } }) => {
    const row = await db
      .selectFrom('companies')
      .select(['company_id', 'name', 'time_zone', 'country', 'created_at'])
      .where('company_id', '=', toUuid(company))
      .executeTakeFirst()
    if (row === undefined) throw new StartupError(`there is no company ${company}`)
    const { company_id: uuid, ...shown } = row satisfies CompanyRow
    return { company_id: company, uuid, ...shown }
  })
}

/** `company rename`: gives a company another name. */
export async function rename(name: string, options: CompanyOptions) {
  const { company } = await changeAsOperator(options.company, renameCompany, name)
  return describeCompany(company)
}

/** `company set-time-zone`: sets the time zone in which the pages show times. */
export async function setTimeZone(timeZone: string, options: CompanyOptions) {
  return setSettings({ timeZone }, options)
}

/** `company set-country`: sets the country in which local phone numbers are read; null removes it. */
export async function setCountry(country: string | null, options: CompanyOptions) {
  return setSettings({ country }, options)
}

async function setSettings(settings: CompanySettings, options: CompanyOptions) {
  const { company } = await changeAsOperator(options.company, changeSettings, settings)
  return describeCompany(company)
}

function describeCompany({ id, name, timeZone, country }: CompanyRecord) {
  return { company_id: id, name, time_zone: timeZone, country } satisfies Omit<CompanyRow, 'created_at'>
}
