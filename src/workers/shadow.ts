import { randomUUID } from 'node:crypto'
import { sql, type Kysely, type Transaction } from 'kysely'
import { createTables, schemaOf, type Projection } from '#projections/projection'
import { fromUuid, toUuid } from '#domain/ids'
import { createIndexes } from '#postgres/create-indexes'
import { isLockFailure } from '#postgres/database-errors'
import type { LedgerDb, LedgerTables } from '#ledger/tables'
import { replacedSchemaOf, findSchemaOid, shadowOf } from './copies.ts'
import { foldBetween } from './project.ts'

/*
 * A rebuild fills a shadow: the same fold under another name, with tables and checkpoints of its own, which no worker
 * or reader uses. A shadow is identified by the oid of its schema, which a rename does not change.
 */

const REBUILDS = 7_307_116
const LOCK_TIMEOUT = '2s'
/** The number of events that may be left to fold while the workers wait for the switch. */
const SWITCH_EVENTS = 5_000

/**
 * Creates the shadow of a projection, or finds the one of an earlier rebuild. `handOver` prepares new tables for the
 * service. Run as the database's owner.
 */
export async function beginShadow(
  db: LedgerDb,
  projection: Projection,
  options: { handOver(db: Kysely<unknown>, schema: string): Promise<void>; restart: boolean },
): Promise<{ oid: number; isResumed: boolean }> {
  const shadow = shadowOf(projection)
  const schema = schemaOf(shadow)
  return db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${REBUILDS}, hashtext(${schema}))`.execute(transaction)
    if (options.restart) await sql`drop schema if exists ${sql.id(schema)} cascade`.execute(transaction)
    const begun = await findSchemaOid(transaction, schema)
    if (begun !== null) return { oid: begun, isResumed: true }
    await forgetCheckpoints(transaction, shadow)
    await sql`create schema ${sql.id(schema)}`.execute(transaction)
    await createTables(transaction as never, projection, schema)
    await options.handOver(transaction as never, schema)
    return { oid: (await findSchemaOid(transaction, schema))!, isResumed: false }
  })
}

/** Creates the indexes of a filled shadow. Does nothing if it is no longer this shadow. */
export async function completeShadow(db: LedgerDb, projection: Projection, oid: number) {
  const schema = schemaOf(shadowOf(projection))
  await db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${REBUILDS}, hashtext(${schema}))`.execute(transaction)
    if ((await findSchemaOid(transaction, schema)) === oid) await createIndexes(transaction, schema, projection.indexes)
  })
}

/** Forgets how far a version of a projection has folded. */
export async function forgetCheckpoints(db: LedgerDb, { name, version }: Projection) {
  await db.deleteFrom('checkpoints').where('projection', '=', name).where('version', '=', version).execute()
}

/**
 * `behind`: too many events are left to fold. `busy`: the workers did not pause in time. `gone`: it is no longer this
 * shadow.
 */
type SwitchResult = 'switched' | 'behind' | 'busy' | 'gone'

/**
 * Replaces the live tables and their checkpoints with the shadow's, in one transaction. Waits for workers that are
 * folding, and makes others wait; readers are never blocked. Events that only the live tables have folded are folded
 * first, so that readers never see less than before.
 */
export async function switchToShadow(db: LedgerDb, projection: Projection, oid: number): Promise<SwitchResult> {
  const shadow = shadowOf(projection)
  try {
    return await db.transaction().execute(async (transaction) => {
      await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT)}`.execute(transaction)
      await sql`set local synchronous_commit = on`.execute(transaction)
      // A fold moves its checkpoint first, so under this lock none is running and none can start.
      await sql`lock table checkpoints in share row exclusive mode`.execute(transaction)
      if ((await findSchemaOid(transaction, schemaOf(shadow))) !== oid) return 'gone'
      if (!(await levelShadow(transaction, projection, shadow))) return 'behind'
      await forgetCheckpoints(transaction, projection)
      await transaction
        .updateTable('checkpoints')
        .set({ projection: projection.name, generation: randomUUID() })
        .where('projection', '=', shadow.name)
        .where('version', '=', projection.version)
        .execute()
      await renameSchema(transaction, schemaOf(projection), replacedSchemaOf(projection))
      await renameSchema(transaction, schemaOf(shadow), schemaOf(projection))
      return 'switched'
    })
  } catch (error) {
    if (isLockFailure(error)) return 'busy'
    throw error
  }
}

async function renameSchema(db: LedgerDb, from: string, to: string) {
  await sql`alter schema ${sql.id(from)} rename to ${sql.id(to)}`.execute(db)
}

/** Brings the shadow to the position of the live tables; false if that takes too long for the switch. */
async function levelShadow(transaction: Transaction<LedgerTables>, live: Projection, shadow: Projection) {
  const { rows } = await sql<{ company_id: string; after: number; up_to: number }>`
    select l.company_id, coalesce(s.position, 0) as after, l.position as up_to from checkpoints l
    left join checkpoints s
      on s.company_id = l.company_id and s.projection = ${shadow.name} and s.version = ${shadow.version}
    where l.projection = ${live.name} and l.version = ${live.version} and l.position > coalesce(s.position, 0)`.execute(
    transaction,
  )
  const events = rows.reduce((sum, { after, up_to: upTo }) => sum + upTo - after, 0)
  if (events > SWITCH_EVENTS) return false
  for (const { company_id: company, after, up_to: upTo } of rows) {
    await foldBetween(transaction, shadow, schemaOf(shadow), fromUuid('com', company), {
      after,
      upTo,
      batchEvents: SWITCH_EVENTS,
    })
    await setPosition(transaction, shadow, fromUuid('com', company), upTo)
  }
  return true
}

/** Sets a checkpoint that nobody else can move now; clears its failures. `generation` names the rebuild of the rows. */
export async function setPosition(
  db: LedgerDb,
  { name, version }: Projection,
  companyId: string,
  position: number,
  generation?: string,
) {
  const rebuilt = generation === undefined ? {} : { generation }
  const standing = { ...rebuilt, position, attempts: 0, next_try_at: null, parked_at: null, error: null }
  await db
    .insertInto('checkpoints')
    .values({ company_id: toUuid(companyId), projection: name, version, ...standing })
    .onConflict((conflict) => conflict.columns(['company_id', 'projection', 'version']).doUpdateSet(standing))
    .execute()
}

/**
 * Drops the tables that a rebuild has replaced. Returns false if they are still being read; new readers do not see
 * them.
 */
export async function dropReplaced(db: LedgerDb, projection: Projection) {
  return dropSchema(db, replacedSchemaOf(projection))
}

/** Drops a schema; false if it stays in use for longer than a moment. */
export async function dropSchema(db: LedgerDb, schema: string) {
  try {
    await db.transaction().execute(async (transaction) => {
      await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT)}`.execute(transaction)
      await sql`drop schema if exists ${sql.id(schema)} cascade`.execute(transaction)
    })
    return true
  } catch (error) {
    if (isLockFailure(error)) return false
    throw error
  }
}
