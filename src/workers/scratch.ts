import { sql, type Transaction, CompiledQuery } from 'kysely'
import { createTables, type Projection, schemaOf } from '#projections/projection'
import type { LedgerDb, LedgerTables } from '#ledger/tables'
import { foldBetween, foldCalls, foldNext } from './project.ts'
import { REBUILD_BATCH_EVENTS, RebuildError } from './rebuild.ts'
import { readProjectionTables, type Table, replaceDiffering } from './table-differences.ts'
import { randomUUID } from 'node:crypto'
import { readProgress } from '#ledger/read/read-progress'
import { holdCompany } from '#postgres/pool'
import { findCheckpoint, isOf } from './checkpoints.ts'
import { emptyReplaced, isShadowBefore, shadowOf } from './copies.ts'
import { setPosition } from './shadow.ts'

/** PostgreSQL's schema for a connection's temporary tables. */
export const SCRATCH = 'pg_temp'

/** The number of events that may be left to fold in the transaction that reads the live tables. */
const LAST_EVENTS = 20_000
/** The number of rounds to catch up with the live tables before giving up. */
const MAX_ROUNDS = 100

/** Tables of a projection for one company at a time. They are temporary, so they vanish with the connection. */
export interface Scratch {
  projection: Projection
  /** The connection that has the tables. */
  db: LedgerDb
  tables: Table[]
}

/** Creates scratch tables for a task. Requires the right to create temporary tables. */
export async function withScratch<Result>(
  db: LedgerDb,
  projection: Projection,
  task: (scratch: Scratch) => Promise<Result>,
): Promise<Result> {
  return db.connection().execute(async (connection) => {
    // Otherwise a scratch table would hide a ledger table of the same name.
    await sql`set search_path = public, pg_temp`.execute(connection)
    await createTables(connection as never, projection, SCRATCH)
    const tables = await readProjectionTables(connection, SCRATCH)
    try {
      return await task({ projection, db: connection, tables })
    } finally {
      await dropTables(connection, tables)
    }
  })
}

/** Drop the tables, because the connection returns to its pool. A broken connection takes them along. */
async function dropTables(db: LedgerDb, tables: Table[]) {
  const names = tables.map(({ name }) => sql.id(SCRATCH, name))
  await sql`drop table ${sql.join(names)}`.execute(db).catch(() => undefined)
}

export interface FoldHooks {
  signal: AbortSignal
  onFolded(events: number): void
}

/**
 * Folds a company into the scratch tables from its first event up to at least the position of the live tables, then
 * runs a task in a transaction that sees both. `hold` returns the position of the live tables and keeps them there.
 * Each batch is a transaction of its own, so that no snapshot stays open for long; the last events are folded in the
 * task's transaction.
 */
export async function foldBesideLive<Result>(
  { projection, db, tables }: Scratch,
  companyId: string,
  options: FoldHooks & {
    /** The position to fold up to before the live tables are held. */
    upTo(): Promise<number>
    isolation: 'read committed' | 'repeatable read'
    hold(transaction: Transaction<LedgerTables>): Promise<number>
    task(transaction: Transaction<LedgerTables>, reached: number): Promise<Result>
  },
): Promise<Result> {
  for (const { name } of tables) await sql`truncate ${sql.id(SCRATCH, name)}`.execute(db)
  let reached = 0
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    for (const upTo = await options.upTo(); reached < upTo;) {
      options.signal.throwIfAborted()
      const range = { after: reached, upTo, batchEvents: REBUILD_BATCH_EVENTS }
      const to = await db.transaction().execute((batch) => foldCalls(batch, projection, SCRATCH, companyId, range))
      options.onFolded(to - reached)
      reached = to
    }
    const result = await db
      .transaction()
      .setIsolationLevel(options.isolation)
      .execute(async (transaction) => {
        const live = await options.hold(transaction)
        if (live - reached > LAST_EVENTS) return null
        const range = { after: reached, upTo: live, batchEvents: REBUILD_BATCH_EVENTS }
        await foldBetween(transaction, projection, SCRATCH, companyId, range)
        return { value: await options.task(transaction, Math.max(reached, live)) }
      })
    if (result) return result.value
  }
  throw new RebuildError(`could not catch up with the live tables of ${companyId} in ${MAX_ROUNDS} rounds`)
}

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
