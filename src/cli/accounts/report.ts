import { pipeline } from 'node:stream/promises'
import { newId } from '../../ledger/new-id.ts'
import type { CompanyServices } from '../../accounts/change-company.ts'
import type { LedgerDb } from '../../ledger/tables.ts'
import type { NamedPerson } from '../../personal-data/find-person.ts'
import { reportEmployee } from '../../personal-data/report-employee.ts'
import { reportUser } from '../../personal-data/report-user.ts'
import type { Report } from '../../personal-data/report.ts'
import { writeHtml } from '../../personal-data/write-html.ts'
import { writeJson } from '../../personal-data/write-json.ts'
import { interruption } from '../terminal/interruption.ts'
import { withStore } from '../terminal/with-store.ts'
import { assertNotThere, writeFile } from '../terminal/write-file.ts'
import { asOperator, type CompanyOptions } from './operator.ts'

export interface ReportOptions extends CompanyOptions {
  out?: string | undefined
  json?: boolean | undefined
}

/** Writes what is held about an employee, or a person who appears only in refused records. */
export function writeEmployeeReport(options: ReportOptions, person: NamedPerson): Promise<void> {
  return writeReport(options, (services) => reportEmployee(services, asOperator(options.company), person))
}

/** `user report`: writes what is held about a user. */
export function writeUserReport(options: ReportOptions & { user: string }): Promise<void> {
  return writeReport(options, (services) => reportUser(services, asOperator(options.company), options.user))
}

async function writeReport(
  { out, json }: ReportOptions,
  make: (services: CompanyServices & { db: LedgerDb }) => Promise<Report>,
): Promise<void> {
  if (out !== undefined) assertNotThere(out)
  await withStore(async ({ store: { db, pool } }) => {
    const report = await make({ db, pool, newId })
    const texts = json ? writeJson(report) : writeHtml(report)
    if (out === undefined) await pipeline(texts, process.stdout, { signal: interruption, end: false })
    else await writeFile(out, texts)
  })
}
