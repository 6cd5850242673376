import type { Pool } from 'pg'

/** Counts the blocks (8 KiB) that reading statements read, in the cache or not, by the plans that they have now. */
export async function countBlocks(
  pool: Pool,
  statements: readonly { text: string; values: unknown[] }[],
): Promise<number> {
  let blocks = 0
  for (const { text, values } of statements) {
    if (!/^[\s(]*(?:select|with)\b/i.test(text)) continue
    const explain = `explain (analyze, buffers, timing off, format json) ${text}`
    const { rows } = await pool.query<{ 'QUERY PLAN': { Plan: Record<string, number> }[] }>(explain, values)
    const { Plan: plan } = rows[0]!['QUERY PLAN'][0]!
    blocks += plan['Shared Hit Blocks']! + plan['Shared Read Blocks']!
  }
  return blocks
}
