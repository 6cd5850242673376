const MAX_LISTED = 10_000

/** Lists the newest rows. Says on stderr if there are more. */
export async function listNewest<Row>(what: string, list: (limit: number) => Promise<Row[]>): Promise<Row[]> {
  const rows = await list(MAX_LISTED + 1)
  if (rows.length > MAX_LISTED)
    process.stderr.write(`employee-ledger: only the newest ${MAX_LISTED.toLocaleString('en')} ${what} are listed\n`)
  return rows.slice(0, MAX_LISTED)
}
