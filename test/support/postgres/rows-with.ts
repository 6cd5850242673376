import pg from 'pg'

/**
 * Every row of every table in a database, except the server's own schemas, whose text contains one of these words, in
 * any case or as hexadecimal bytes. One line with table and row each.
 */
export async function rowsWith(superUrl: string, words: string[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: superUrl })
  await client.connect()
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema') order by 1`,
    )
    const wanted = words.flatMap((word) => [word.toLowerCase(), Buffer.from(word).toString('hex')])
    const found: string[] = []
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: string }>(
        `select t::text as row from ${name} t where exists (select from unnest($1::text[]) w where strpos(lower(t::text), w) > 0)`,
        [wanted],
      )
      found.push(...rows.map(({ row }) => `${name}: ${row}`))
    }
    return found
  } finally {
    await client.end()
  }
}
