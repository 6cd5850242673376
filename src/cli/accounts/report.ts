import { pipeline } from 'node:stream/promises'
import { newId } from '#ledger/new-id'
import type { Acting, CompanyServices } from '#accounts/change-company'
import type { LedgerDb } from '#ledger/tables'
import { type Report, writeJson, writeHtml } from '#personal-data/report'
import { interruption } from '../terminal/interruption.ts'
import { withStore } from '../terminal/with-store.ts'
import { assertNotThere, writeFile } from '../terminal/write-file.ts'
import { asOperator, type CompanyOptions } from './operator.ts'

export interface ReportOptions extends CompanyOptions {
  out?: string | undefined
  json?: boolean | undefined
}

/** Writes what is held about a person, to a file or to the standard output. */
export async function writeReport<Person>(
  { company, out, json }: ReportOptions,
  make: (services: CompanyServices & { db: LedgerDb }, acting: Acting, person: Person) => Promise<Report>,
  person: Person,
): Promise<void> {
  if (out !== undefined) assertNotThere(out)
  await withStore(async ({ store: { db, pool } }) => {
    const report = await make({ db, pool, newId }, asOperator(company), person)
    const texts = json ? writeJson(report) : writeHtml(report)
    if (out === undefined) await pipeline(texts, process.stdout, { signal: interruption, end: false })
    else await writeFile(out, texts)
  })
}
