import pg from 'pg'

/**
 * Every row of every table of a database, of all schemas but the server's own, in whose text one of these words stands:
 * in any case, and as bytes in hexadecimal. Table and row, a line each.
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
