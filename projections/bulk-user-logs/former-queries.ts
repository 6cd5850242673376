import { sql, type RawBuilder } from 'kysely'
import { fromUuid, toUuid } from '#domain/ids'
import { employees } from '../employees/fold.ts'
import { schemaOf, type AnyDb } from '../projection.ts'
import { FORMER_KINDS, formatFormer, type FormerKind } from './former-names.ts'
import { FORMER_NAMES } from './live-tables.ts'
import { hashName } from './rejected-names.ts'
import { foldText, trimBlanks } from '#text/normalize-text'

/** The kinds that identify one employee. */
export const FORMER_IDS: readonly FormerKind[] = ['email', 'external_id', 'user_name']

/** The most people with a former name that are compared with the rest of the text, and the most that are found. */
const MAX_COMPARED = 500
const MAX_FOUND = 50
/** The places at which a text is cut into a first and a last name. */
const MAX_CUTS = 3

/**
 * A query for the employees who had exactly a text as an email, ID, or name before, and are not found by what they have
 * now: their `id`s and the `kind`s. Of a first and a last name, one may be former.
 */
export function selectFormer(
  companyId: string,
  sent: string,
  kinds: readonly FormerKind[] = FORMER_KINDS,
): RawBuilder<{ id: string; kind: FormerKind }> {
  const text = foldText(trimBlanks(sent))
  const cuts = kinds.includes('name') ? [...text.matchAll(/ +/g)].slice(0, MAX_CUTS) : []
  const parts = cuts.flatMap(({ index, 0: { length } }) => {
    const [before, after] = [text.slice(0, index), text.slice(index + length)]
    return [[before, after] as const, [after, before] as const]
  })
  const wanted = [
    ...kinds.map((kind) => ({ kind, value: text, rest: '' })),
    ...parts.map(([value, rest]) => ({ kind: 'name' as const, value, rest })),
  ]
  // By name, people are also found by parts of what they have now. By ID alone, they are not.
  const isFoundNow = kinds.includes('name') ? sql`strpos(e.search_text, ${text}) > 0` : sql`false`
  return sql<{ id: string; kind: FormerKind }>`select f.employee_id as id, w.kind from companies c
    cross join unnest(${wanted.map(({ kind }) => kind)}::text[],
      ${wanted.map(({ kind, value }) => formatFormer(kind, value))}::text[],
      ${wanted.map(({ rest }) => rest)}::text[]) as w (kind, found_by, rest)
    cross join lateral (
      select n.employee_id from ${FORMER_NAMES} n where n.company_id = ${toUuid(companyId)}
        and n.name_hash = ${hashName(sql`c.hash_key`, sql`w.found_by`)} order by n.employee_id limit ${MAX_COMPARED}
    ) f cross join lateral (
      select e.search_text from ${sql.id(schemaOf(employees), 'employees')} e
      where e.company_id = ${toUuid(companyId)} and e.employee_id = f.employee_id offset 0
    ) e
    where c.company_id = ${toUuid(companyId)}
      and strpos(e.search_text, w.rest) > 0 and not ${isFoundNow}
    order by id, kind limit ${MAX_FOUND}`
}

/** Finds those employees, and what the text was to each. */
export async function findFormer(db: AnyDb, companyId: string, text: string): Promise<Map<string, FormerKind>> {
  const { rows } = await selectFormer(companyId, text).execute(db)
  return new Map(rows.map(({ id, kind }) => [fromUuid('emp', id), kind]))
}
