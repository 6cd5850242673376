import type { Acting, CompanyServices } from '#accounts/change-company'
import { findOutbox } from '#bootstrap/mail'
import { newId } from '#ledger/new-id'
import { createConfiguredSecretBox } from '#bootstrap/keys'
import { OPERATOR } from '#ledger/append/append-company-events'
import { withStore, type Opened } from '#cli/terminal/with-store'
import { pipeline } from 'node:stream/promises'
import type { LedgerDb } from '#ledger/tables'
import { type Report, writeJson, writeHtml } from '#personal-data/report'
import { interruption } from '#cli/terminal/interruption'
import { assertCreatable, writeFile } from '#cli/terminal/write-file'

/** The options of commands about a company. */
export interface CompanyOptions {
  company: string
}

/** The operator, who changes a company from the command line. */
export function asOperator(companyId: string): Acting {
  return { companyId, actor: OPERATOR }
}

type Change<Details extends unknown[], Result> = (
  services: CompanyServices,
  acting: Acting,
  ...details: Details
) => Promise<Result>

/** Runs a change of a company as the operator. */
export function changeAsOperator<Details extends unknown[], Result>(
  companyId: string,
  change: Change<Details, Result>,
  ...details: Details
) {
  return withStore(({ store: { pool } }) => {
    const services = { pool, newId }
    return change(services, asOperator(companyId), ...details)
  })
}

/** The same for a change that may send messages to users. */
export function changeAndNotify<Details extends unknown[], Result>(
  companyId: string,
  change: Change<Details, Result>,
  ...details: Details
) {
  return withStore(async ({ config, store: { pool } }) => {
    const services = { pool, newId, outbox: await findOutbox(config) }
    return change(services, asOperator(companyId), ...details)
  })
}

/** Opens the services of changes that store secrets. */
export async function openServices({ config, store: { pool } }: Opened) {
  return { pool, newId, secrets: await createConfiguredSecretBox(config) }
}

const MAX_LISTED = 10_000

/** Lists the newest rows. Says on stderr if there are more. */
export async function listNewest<Row>(what: string, list: (limit: number) => Promise<Row[]>) {
  const rows = await list(MAX_LISTED + 1)
  if (rows.length > MAX_LISTED)
    process.stderr.write(`employee-ledger: only the newest ${MAX_LISTED.toLocaleString('en')} ${what} are listed\n`)
  return rows.slice(0, MAX_LISTED)
}

export interface ReportOptions extends CompanyOptions {
  out?: string | undefined
  json?: boolean | undefined
}

/** Writes what is held about a person, to a file or to the standard output. */
export async function writeReport<Person>(
  { company, out, json }: ReportOptions,
  make: (services: CompanyServices & { db: LedgerDb }, acting: Acting, person: Person) => Promise<Report>,
  person: Person,
) {
  if (out !== undefined) assertCreatable(out)
  await withStore(async ({ store: { db, pool } }) => {
    const report = await make({ db, pool, newId }, asOperator(company), person)
    const texts = json ? writeJson(report) : writeHtml(report)
    if (out === undefined) await pipeline(texts, process.stdout, { signal: interruption, end: false })
    else await writeFile(out, texts)
  })
}
