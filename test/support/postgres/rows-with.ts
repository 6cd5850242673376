import pg from 'pg'
import { searchFor } from './find-value.ts'

/**
 * Every row of every table in a database, except the server's own schemas, that holds one of these words, in any column
 * of any type, and however it is written. One line with table and row each. The tables and columns are those of the
 * catalog, so that new ones are searched, too.
 */
export async function rowsWith(superUrl: string, words: string[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: superUrl })
  await client.connect()
  try {
    const { rows: tables } = await client.query<{ name: string; columns: string[] }>(
      `select format('%I.%I', n.nspname, c.relname) as name,
         array(select format(case when a.atttypid = 'bytea'::regtype then '%I' else '%I::text' end, a.attname)
           from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped order by a.attnum) as columns
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind in ('r', 'p', 'm') and not c.relispartition
         and n.nspname !~ '^(pg_(catalog|toast|temp)|information_schema)' order by 1`,
    )
    const holds = searchFor(words)
    const found: string[] = []
    for (const { name, columns } of tables) {
      const text = `select t::text, ${columns.join(', ')} from ${name} t`
      const { rows } = await client.query<[string, ...(string | Buffer | null)[]]>({ text, rowMode: 'array' })
      for (const [line, ...cells] of rows)
        if (cells.some((cell) => cell !== null && holds(cell))) found.push(`${name}: ${line}`)
    }
    return found
  } finally {
    await client.end()
  }
}
