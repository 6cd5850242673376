import type { Pool } from 'pg'
import { doInTurns, inTurns } from '#admission/turns'
import { NOBODY, type Naming } from '#domain/calls/uniqueness'
import { isId, toUuid } from '#domain/ids'
import { loadEmployees } from '#ledger/read/read-employees'
import { employees } from '#projections/employees/fold'
import { schemaOf } from '#projections/projection'
import type { RowKeys } from '#spreadsheets/rows/plan-rows'
import type { Target } from '#spreadsheets/mapping/mapping'
import {
  type ComparedRecord,
  findDifferences,
  isMany,
  listMoved,
  listSpellings,
  MAX_COMPARED,
  spread,
  type StoredDifference,
} from '#spreadsheets/rows/stored-differences'
import { normalizeEmail, normalizeText } from '#text/normalize-text'

/** Chooses the rows that are compared with what is stored, by their indexes: some of all, and those with open dates. */
function chooseRows(rows: readonly RowKeys[], dates: readonly Target[]): number[] {
  const all = [...rows.keys()]
  const dated = all.filter((at) => Object.keys(rows[at]!.dates ?? {}).some((name) => dates.includes(name as Target)))
  return [...new Set([...spread(all, MAX_COMPARED), ...spread(dated, MAX_COMPARED)])]
}

/**
 * Compares rows of a file with what is stored about the same people. `readRecord` reads a row by its index, and `dates`
 * are those whose order the file leaves open.
 */
export async function compareWithStored(
  pool: Pool,
  companyId: string,
  rows: readonly RowKeys[],
  readRecord: (at: number) => ComparedRecord,
  dates: readonly Target[],
): Promise<StoredDifference[]> {
  const records: ComparedRecord[] = []
  for await (const at of inTurns(chooseRows(rows, dates))) records.push(readRecord(at))
  const people = await load(pool, companyId, {
    ...NOBODY,
    employeeIds: textsOf(records, 'id').filter((id) => isId('emp', id)),
    externalIds: textsOf(records, 'external_id'),
    emails: textsOf(records, 'email').map(normalizeEmail),
  })
  const known = new Set(people.map(({ external_id: id }) => id))
  const unknown = records.filter((record) => textsOf([record], 'external_id').some((id) => !known.has(id)))
  const respelled = await load(pool, companyId, { ...NOBODY, externalIds: unknown.flatMap(listSpellings) })
  const ids = isMany(unknown.length, records.length) ? await findNamesakes(pool, companyId, unknown) : []
  const namesakes = await load(pool, companyId, { ...NOBODY, externalIds: ids })
  return doInTurns(findDifferences(records, [...namesakes, ...respelled, ...people], dates))
}

function textsOf(records: readonly ComparedRecord[], name: string): string[] {
  const texts = records.map((record) => record[name]).filter((value) => typeof value === 'string')
  return texts.map(normalizeText).filter((text) => text !== '')
}

async function load(pool: Pool, companyId: string, naming: Naming): Promise<ComparedRecord[]> {
  if (Object.values(naming).every((values) => values.length === 0)) return []
  const found = await loadEmployees(pool, [{ companyId, naming }])
  return found.map(({ employee }) => ({ ...employee }))
}

/** Finds the external ids of people with the names of rows, or what may be names, as far as the read model has come. */
async function findNamesakes(pool: Pool, companyId: string, records: readonly ComparedRecord[]): Promise<string[]> {
  const named = records
    .flatMap((record) => [record, ...listMoved(record)])
    .map((record) => [...textsOf([record], 'first_name'), ...textsOf([record], 'last_name')])
    .filter((names) => names.length === 2)
  if (named.length === 0) return []
  const { rows } = await pool.query<{ external_id: string }>(
    `select e.attributes->>'external_id' as external_id from ${schemaOf(employees)}.employees e
     join unnest($2::text[], $3::text[]) as wanted(first_name, last_name)
       on e.attributes->>'first_name' = wanted.first_name and e.attributes->>'last_name' = wanted.last_name
     where e.company_id = $1 and e.attributes->>'external_id' is not null limit ${MAX_COMPARED}`,
    [toUuid(companyId), named.map(([first]) => first), named.map(([, last]) => last)],
  )
  return rows.map(({ external_id: id }) => id)
}
