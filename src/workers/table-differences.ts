import { sql } from 'kysely'
import { toUuid } from '#domain/ids'
import type { LedgerDb } from '#ledger/tables'

/** A table of a projection, from the system catalogs. */
export interface Table {
  name: string
  /** The primary key columns, `company_id` first. */
  key: string[]
  columns: Column[]
}

interface Column {
  name: string
  isJson: boolean
}

/** A row that differs between two copies of a table. */
export interface RowDifference {
  table: string
  /** `missing` and `extra` refer to the live table. */
  kind: 'missing' | 'extra' | 'changed'
  /** The primary key, without the company. */
  key: Record<string, string>
  /** The columns that differ; `values` has the live value and the ledger's. */
  columns: string[]
  values?: Record<string, { live: string | null; ledger: string | null }>
}

/** The tables of a schema. Throws if a primary key does not start with the company. */
export async function readProjectionTables(db: LedgerDb, schema: string): Promise<Table[]> {
  const { rows } = await sql<Table & { key: string[] | null }>`
    select c.relname as name,
      (select array_agg(a.attname::text order by k.nth) from pg_index i
        cross join unnest(i.indkey::smallint[]) with ordinality as k(number, nth)
        join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number
        where i.indrelid = c.oid and i.indisprimary) as key,
      (select json_agg(json_build_object('name', a.attname, 'isJson', a.atttypid = 'json'::regtype) order by a.attnum)
        from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns
    from pg_class c
    where c.relkind in ('r', 'p') and c.relnamespace = case when ${schema} = 'pg_temp' then pg_my_temp_schema()
      else to_regnamespace(${`"${schema}"`}) end
    order by c.relname`.execute(db)
  for (const { name, key } of rows) {
    if (key?.[0] !== 'company_id')
      throw new Error(`the primary key of ${schema}.${name} does not begin with company_id`)
  }
  return rows
}

/** The schemas of two copies of a projection's tables. */
interface Copies {
  live: string
  /** Holds a single company. */
  scratch: string
}

/** Counts the rows of a company that differ between the copies of a table, and returns the first ones by key. */
export async function findDifferences(
  db: LedgerDb,
  copies: Copies,
  table: Table,
  companyId: string,
  options: { limit: number; showValues: boolean },
): Promise<{ count: number; first: RowDifference[] }> {
  const others = table.columns.filter(({ name }) => !table.key.includes(name))
  const differing = others.map((column) => sql`case when ${isDifferent(column)} then ${sql.lit(column.name)} end`)
  const columns = sql`array_remove(array[${sql.join([sql`null`, ...differing])}]::text[], null)`
  const key = table.key
    .slice(1)
    .map((name) => sql`${sql.lit(name)}, coalesce(l.${sql.id(name)}, s.${sql.id(name)})::text`)
  const values = others.map(({ name }) => {
    const pair = sql`json_build_object('live', l.${sql.id(name)}::text, 'ledger', s.${sql.id(name)}::text)`
    return sql`${sql.lit(name)}, ${pair}`
  })
  const { rows } = await sql<{
    count: number
    kind: RowDifference['kind']
    key: RowDifference['key']
    columns: string[]
    values: RowDifference['values']
  }>`
    select count(*) over () as count,
      case when l.company_id is null then 'missing' when s.company_id is null then 'extra' else 'changed' end as kind,
      json_build_object(${sql.join(key)}) as key,
      case when l.company_id is null or s.company_id is null then '{}' else ${columns} end as columns,
      ${options.showValues ? sql`json_build_object(${sql.join(values)})` : sql`null`} as values
    from (select * from ${sql.id(copies.live, table.name)} where company_id = ${toUuid(companyId)}) l
    full join ${sql.id(copies.scratch, table.name)} s on ${sameKey(table)}
    where l.company_id is null or s.company_id is null
      or ${sql.join([sql`false`, ...others.map(isDifferent)], sql` or `)}
    order by ${sql.join(table.key.map((name) => sql`coalesce(l.${sql.id(name)}, s.${sql.id(name)})`))}
    limit ${options.limit}`.execute(db)
  const first = rows.map(({ kind, key: rowKey, columns: names, values: all }) => {
    const shown =
      all && Object.fromEntries(Object.entries(all).filter(([name]) => kind !== 'changed' || names.includes(name)))
    return { table: table.name, kind, key: rowKey, columns: names, ...(shown ? { values: shown } : {}) }
  })
  return { count: rows[0]?.count ?? 0, first }
}

/** Makes a company's rows in the live copy equal to the scratch copy's. Does not touch equal rows. */
export async function replaceDiffering(db: LedgerDb, copies: Copies, table: Table, companyId: string) {
  const [live, scratch] = [sql.id(copies.live, table.name), sql.id(copies.scratch, table.name)]
  const others = table.columns.filter(({ name }) => !table.key.includes(name))
  const alike = sql.join([sameKey(table), ...others.map((column) => sql`not (${isDifferent(column)})`)], sql` and `)
  // Citus joins a distributed table with a local one only if the local one is materialized or on the left side.
  const deleted = await sql`with s as materialized (select * from ${scratch})
    delete from ${live} l where l.company_id = ${toUuid(companyId)}
      and not exists (select 1 from s where ${alike})`.execute(db)
  const names = table.columns.map(({ name }) => sql.id(name))
  const columns = sql.join(table.columns.map(({ name }) => sql`s.${sql.id(name)}`))
  const inserted = await sql`insert into ${live} (${sql.join(names)}) select ${columns} from ${scratch} s
    left join (select * from ${live} where company_id = ${toUuid(companyId)}) l on ${sameKey(table)}
    where l.company_id is null`.execute(db)
  return Math.max(Number(deleted.numAffectedRows), Number(inserted.numAffectedRows))
}

function sameKey({ key }: Table) {
  return sql.join(
    key.map((name) => sql`l.${sql.id(name)} = s.${sql.id(name)}`),
    sql` and `,
  )
}

/** The type json has no equality; jsonb compares values, not spelling. */
function isDifferent({ name, isJson }: Column) {
  const cast = isJson ? sql`::jsonb` : sql``
  return sql`l.${sql.id(name)}${cast} is distinct from s.${sql.id(name)}${cast}`
}
