import type { Kysely, Transaction } from 'kysely'
import { sql } from 'kysely'
import type { Projection } from '../../projections/projection.ts'
import { schemaOf } from '../../projections/projection.ts'
import { fromUuid, toUuid } from '../domain/ids.ts'
import { sqlState } from '../postgres/database-errors.ts'
import type { LedgerTables } from '../ledger/tables.ts'
import { replacedSchemaOf, schemaOid, shadowOf } from './copies.ts'
import { foldBetween } from './project.ts'

/*
 * A rebuild fills a shadow: the same fold under another name, hence with tables and checkpoints of its own, which no
 * worker and no reader knows. The schema's oid tells one shadow from the next; it stays when the schema is renamed.
 */

export type Db = Kysely<LedgerTables>

const REBUILDS = 7_307_115
const LOCK_TIMEOUT = '2s'
const LOCK_NOT_AVAILABLE = '55P03'
/** Events that may be left to fold while the workers wait for the switch. */
const SWITCH_EVENTS = 5_000

/**
 * Makes the shadow of a projection, or finds the one that an earlier rebuild began. `handOver` makes them such that
 * the service can use them. Run by the owner of the database.
 */
export async function beginShadow(
  db: Db,
  projection: Projection,
  options: { handOver(db: Kysely<unknown>, schema: string): Promise<void>; restart: boolean },
): Promise<{ oid: number; isResumed: boolean }> {
  const shadow = shadowOf(projection)
  const schema = schemaOf(shadow)
  return db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${REBUILDS}, hashtext(${schema}))`.execute(transaction)
    if (options.restart) await sql`drop schema if exists ${sql.id(schema)} cascade`.execute(transaction)
    const begun = await schemaOid(transaction, schema)
    if (begun !== null) return { oid: begun, isResumed: true }
    await forgetCheckpoints(transaction, shadow)
    await sql`create schema ${sql.id(schema)}`.execute(transaction)
    await projection.createTables(transaction as never, schema)
    await options.handOver(transaction as never, schema)
    return { oid: (await schemaOid(transaction, schema))!, isResumed: false }
  })
}

/** Makes what the tables of a full shadow lack to be read. Nothing when it is no longer this shadow. */
export async function completeShadow(db: Db, projection: Projection, oid: number): Promise<void> {
  const schema = schemaOf(shadowOf(projection))
  await db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${REBUILDS}, hashtext(${schema}))`.execute(transaction)
    if ((await schemaOid(transaction, schema)) === oid) await projection.createIndexes(transaction as never, schema)
  })
}

/** Whether an error says that a lock was not to be had in time. */
export function isBusy(error: unknown): boolean {
  return sqlState(error) === LOCK_NOT_AVAILABLE
}

async function forgetCheckpoints(db: Db, { name, version }: Projection): Promise<void> {
  await db.deleteFrom('checkpoints').where('projection', '=', name).where('version', '=', version).execute()
}

/** `behind`: too much is left to fold. `busy`: the workers did not pause in time. `gone`: it is no longer this shadow. */
export type SwitchResult = 'switched' | 'behind' | 'busy' | 'gone'

/**
 * Puts the shadow in the place of the live tables, together with its checkpoints, in one transaction. Workers that fold
 * at that instant end first, and the others wait for this one; readers are not locked out at any time. Nobody reads less
 * than before: what the live tables have and the shadow lacks is folded first.
 */
export async function switchToShadow(db: Db, projection: Projection, oid: number): Promise<SwitchResult> {
  const shadow = shadowOf(projection)
  try {
    return await db.transaction().execute(async (transaction) => {
      await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT)}`.execute(transaction)
      await sql`set local synchronous_commit = on`.execute(transaction)
      // A fold moves its checkpoint first: from here on nobody is in the middle of one, and nobody begins one.
      await sql`lock table checkpoints in share row exclusive mode`.execute(transaction)
      if ((await schemaOid(transaction, schemaOf(shadow))) !== oid) return 'gone'
      if (!(await levelShadow(transaction, projection, shadow))) return 'behind'
      await forgetCheckpoints(transaction, projection)
      await transaction
        .updateTable('checkpoints')
        .set({ projection: projection.name })
        .where('projection', '=', shadow.name)
        .where('version', '=', projection.version)
        .execute()
      await renameSchema(transaction, schemaOf(projection), replacedSchemaOf(projection))
      await renameSchema(transaction, schemaOf(shadow), schemaOf(projection))
      return 'switched'
    })
  } catch (error) {
    if (isBusy(error)) return 'busy'
    throw error
  }
}

async function renameSchema(db: Db, from: string, to: string): Promise<void> {
  await sql`alter schema ${sql.id(from)} rename to ${sql.id(to)}`.execute(db)
}

/** Brings the shadow to where the live tables are; false when that is too much for the moment of the switch. */
async function levelShadow(
  transaction: Transaction<LedgerTables>,
  live: Projection,
  shadow: Projection,
): Promise<boolean> {
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

/** Says how far a projection is in a company whose checkpoint nobody else can move now. It is neither parked nor failing. */
export async function setPosition(
  db: Db,
  { name, version }: Projection,
  companyId: string,
  position: number,
): Promise<void> {
  const standing = { position, attempts: 0, next_try_at: null, parked_at: null, error: null }
  await db
    .insertInto('checkpoints')
    .values({ company_id: toUuid(companyId), projection: name, version, ...standing })
    .onConflict((conflict) => conflict.columns(['company_id', 'projection', 'version']).doUpdateSet(standing))
    .execute()
}

/** Drops the tables that a rebuild has replaced. Returns false when somebody still reads them; nobody new can. */
export async function dropReplaced(db: Db, projection: Projection): Promise<boolean> {
  return dropSchema(db, replacedSchemaOf(projection))
}

/** Drops a schema and waits only a moment for those who use it; then false. */
export async function dropSchema(db: Db, schema: string): Promise<boolean> {
  try {
    await db.transaction().execute(async (transaction) => {
      await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT)}`.execute(transaction)
      await sql`drop schema if exists ${sql.id(schema)} cascade`.execute(transaction)
    })
    return true
  } catch (error) {
    if (isBusy(error)) return false
    throw error
  }
}
