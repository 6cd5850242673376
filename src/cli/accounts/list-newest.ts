const MOST_LISTED = 10_000

/** Lists the newest rows. Says on stderr if there are more. */
export async function listNewest<Row>(what: string, list: (limit: number) => Promise<Row[]>): Promise<Row[]> {
  const rows = await list(MOST_LISTED + 1)
  if (rows.length > MOST_LISTED)
    process.stderr.write(`employee-ledger: only the newest ${MOST_LISTED.toLocaleString('en')} ${what} are listed\n`)
  return rows.slice(0, MOST_LISTED)
}
