import { NOBODY } from '#domain/calls/uniqueness'
import type { Pool } from 'pg'
import { doInTurns } from '#admission/turns'
import { mapInPieces } from '#domain/pieces'
import type { RowKeys } from '#spreadsheets/rows/plan-rows'
import { MAX_EMAIL_CHARACTERS } from '#domain/attributes'
import { mayFit, normalizeEmail } from '#text/normalize-text'
import { isObject } from '#domain/json'
import { loadEmployees } from '#ledger/read/read-employees'
import type { StoredUpload } from '#ledger/uploads/read-uploads'
import type { PartRecords } from './part-records.ts'

/* Managers whom neither the file nor the company has. One of them stops nobody: they are asked once for the file. */

interface ManagerName {
  email: string | undefined
  externalId: string | undefined
}

/** The managers that are looked for at once. */
const AT_ONCE = 500

/** Returns a function that says whether the company has a manager, of those that are given. */
async function findManagers(pool: Pool, companyId: string, names: readonly ManagerName[]) {
  const emails = [...new Set(names.flatMap(({ email }) => email ?? []))]
  const externalIds = [...new Set(names.flatMap(({ externalId }) => externalId ?? []))]
  const known = { emails: new Set<string>(), externalIds: new Set<string>() }
  for (let at = 0; at < Math.max(emails.length, externalIds.length); at += AT_ONCE) {
    const naming = {
      ...NOBODY,
      emails: emails.slice(at, at + AT_ONCE),
      externalIds: externalIds.slice(at, at + AT_ONCE),
    }
    for (const { employee } of await loadEmployees(pool, [{ companyId, naming }])) {
      if (employee.email !== null) known.emails.add(employee.email)
      if (employee.external_id !== null) known.externalIds.add(employee.external_id)
    }
  }
  return ({ email, externalId }: ManagerName) =>
    (email !== undefined && known.emails.has(email)) || (externalId !== undefined && known.externalIds.has(externalId))
}

/** Counts the rows whose manager the company doesn't have, of those whose manager is nobody in the file. */
export async function countAbsentManagers(pool: Pool, companyId: string, rows: readonly RowKeys[]): Promise<number> {
  if (rows.length === 0) return 0
  const names = rows.map(({ manager }): ManagerName => ({
    email: manager?.by === 'email' ? normalizeEmail(manager.text) : undefined,
    externalId: manager?.by === 'external_id' ? manager.text : undefined,
  }))
  const isKnown = await findManagers(pool, companyId, names)
  return names.filter((name) => !isKnown(name)).length
}

/** Leaves out the managers whom nobody knows, if the mapping says so. Those in earlier parts of the file are known. */
export async function leaveOutManagers(
  pool: Pool,
  { companyId, mapping }: Pick<StoredUpload, 'companyId' | 'mapping'>,
  records: PartRecords,
): Promise<PartRecords> {
  const isLeftOut = mapping?.unknown_managers === 'leave_out' || mapping?.unreadable_values === 'leave_out'
  if (!isLeftOut) return records
  const names = await doInTurns(mapInPieces(records.body, readName, 1))
  const emails = await doInTurns(mapInPieces(records.body, (record) => readAddress(record, 'email'), 1))
  const own = {
    emails: new Set(emails.filter((email) => email !== undefined)),
    externalIds: new Set(records.body.flatMap((record) => textOf(record, 'external_id') ?? [])),
  }
  const isInFile = ({ email, externalId }: ManagerName, at: number) =>
    records.rows[at]!.earlierManager !== undefined || own.emails.has(email!) || own.externalIds.has(externalId!)
  const isNamed = ({ email, externalId }: ManagerName) => email !== undefined || externalId !== undefined
  const asked = names.filter((name, at) => isNamed(name) && !isInFile(name, at))
  if (asked.length === 0) return records
  const isKnown = await findManagers(pool, companyId, asked)
  const notes = [...records.notes]
  const body = records.body.map((record, at) => {
    const name = names[at]!
    if (!isNamed(name) || isInFile(name, at) || isKnown(name)) return record
    const column = records.columns.get('manager') ?? null
    if (notes.length < MAX_NOTES)
      notes.push({ line: records.rows[at]!.line ?? 1, column, message: 'The manager is nobody here: left out' })
    return withoutManager(record)
  })
  return { ...records, body, notes }
}

const MAX_NOTES = 100

function textOf(record: unknown, name: string): string | undefined {
  const value = isObject(record) ? record[name] : undefined
  return typeof value === 'string' && value !== '' ? value : undefined
}

function readName(record: unknown): ManagerName {
  return { email: readAddress(record, 'manager_email'), externalId: textOf(record, 'manager_external_id') }
}

/** A text that is too long to be an address stays as it is: normalizing may take long. */
function readAddress(record: unknown, name: string): string | undefined {
  const text = textOf(record, name)
  return text !== undefined && mayFit(text, MAX_EMAIL_CHARACTERS) ? normalizeEmail(text) : text
}

/** A record without those who manage its person. */
export function withoutManager(record: unknown): unknown {
  if (!isObject(record)) return record
  const { manager_external_id: _externalId, manager_email: _email, ...others } = record
  return others
}
