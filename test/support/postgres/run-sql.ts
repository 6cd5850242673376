import pg from 'pg'

/** Runs statements, one after the other, as the role of the URL. */
export async function runSql(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Runs statements in the same way. Returns the code of their error, or 'done'. */
export async function attemptSql(url: string, ...statements: string[]): Promise<string> {
  return runSql(url, ...statements).then(
    () => 'done',
    ({ code }: { code: string }) => code,
  )
}
