import { randomUUID } from 'node:crypto'
import { CompiledQuery, sql } from 'kysely'
import { schemaOf, type Projection } from '#projections/projection'
import { readProgress } from '#ledger/read/read-progress'
import type { LedgerDb } from '#ledger/tables'
import { holdCompany } from '#postgres/query-client'
import { findCheckpoint, isOf } from './checkpoints.ts'
import { emptyReplaced, isShadowBefore, shadowOf } from './copies.ts'
import { foldNext } from './project.ts'
import { foldBesideLive, SCRATCH, withScratch, type FoldHooks } from './scratch.ts'
import { setPosition } from './shadow.ts'
import { replaceDiffering } from './table-differences.ts'

/**
 * Rebuilds one company: folds it into scratch tables, then replaces its live rows and checkpoint in one transaction.
 * Rows that are already right are not touched, and readers see either all old or all new rows. Workers wait for this
 * company only. A kill leaves everything unchanged. Returns the number of rows that were wrong. Throws UnfoldableError,
 * without changes, if an event cannot be folded.
 */
export async function rebuildCompany(
  db: LedgerDb,
  projection: Projection,
  companyId: string,
  hooks: FoldHooks & { onBegun(events: number): void },
): Promise<number> {
  const { head } = await readProgress(db, companyId, projection)
  hooks.onBegun(head)
  // Ensures that there is a row to lock.
  await findCheckpoint(db, projection, companyId)
  // The rebuild may pass an erasure that the workers have not folded: see foldNext.
  while (await isShadowBefore(db, projection, companyId, head)) await foldNext(db, shadowOf(projection), companyId)
  return withScratch(db, projection, (scratch) =>
    foldBesideLive(scratch, companyId, {
      ...hooks,
      upTo: async () => (await readProgress(scratch.db, companyId, projection)).head,
      isolation: 'read committed',
      hold: async (transaction) => {
        const { text, values } = holdCompany(companyId)
        await transaction.executeQuery(CompiledQuery.raw(text, values))
        // Take the same table lock as a fold, so that a rebuild of the whole projection cannot switch meanwhile.
        await sql`lock table checkpoints in row exclusive mode`.execute(transaction)
        const { position } = await transaction
          .selectFrom('checkpoints')
          .select('position')
          .where(isOf(projection, companyId))
          .forUpdate()
          .executeTakeFirstOrThrow()
        return position
      },
      task: async (transaction, reached) => {
        const copies = { live: schemaOf(projection), scratch: SCRATCH }
        let rows = 0
        for (const table of scratch.tables) rows += await replaceDiffering(transaction, copies, table, companyId)
        await emptyReplaced(transaction, projection, companyId)
        await setPosition(transaction, projection, companyId, reached, randomUUID())
        return rows
      },
    }),
  )
}
