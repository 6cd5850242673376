import { sql, type Kysely } from 'kysely'
import type { AnyDb } from '#projections/projection'
import { hasCitus } from '#postgres/machine-address'

/**
 * How tables are placed on Citus. Tables whose primary key starts with the company are distributed by it, so that all
 * rows of a company are on one machine. All other tables stay on the coordinator: those of migrations and projection
 * versions, which are small and never joined, and pg-boss's.
 */
const BY_COMPANY = 'company_id'

/** Distributed first; the others are co-located with it. */
const ANCHOR = 'heads'

/** Runs in the service's transaction with the owner's rights, and must run where the company's rows are. */
const ERASING = 'public.erase_events(uuid, bigint)'

/** Reads whether the tables are distributed, where there is Citus. */
export const IS_DISTRIBUTED = `select exists (
  select from pg_dist_partition where logicalrelid = to_regclass('public.${ANCHOR}')) as is`

/** Whether the tables are distributed on Citus. */
export async function isDistributed(db: AnyDb): Promise<boolean> {
  if (!(await hasCitus(db))) return false
  const { rows } = await sql.raw<{ is: boolean }>(IS_DISTRIBUTED).execute(db)
  return rows[0]!.is
}

/**
 * The remaining steps on a distributed database: tables that a migration, a new projection or a rebuild has created.
 * None on plain PostgreSQL.
 */
export async function stepsLeft(db: Kysely<unknown>, schema?: string): Promise<DistributionStep[]> {
  return (await isDistributed(db)) ? distributionSteps(db, schema === undefined ? {} : { schema }) : []
}

interface DistributionStep {
  /** A description of the step. */
  line: string
  run(transaction: Kysely<unknown>): Promise<void>
}

interface Table {
  schema: string
  name: string
  /** The first column of its primary key. */
  key: string | null
  is_distributed: boolean
  /** On the coordinator: distributing a table copies its rows and leaves the originals there. */
  has_rows_here: boolean
}

/** The steps, in order, that place every table where it belongs on Citus. */
export async function distributionSteps(db: Kysely<unknown>, options: { shards?: number; schema?: string }) {
  const tables = await readTables(db, options.schema)
  const steps = tables.flatMap((table) => stepsOf(table, options.shards))
  if (options.schema !== undefined) return steps
  return (await isErasingPlaced(db)) ? steps : [...steps, placeErasing]
}

/** The tables of this program, the anchor first. */
async function readTables(db: Kysely<unknown>, schema: string | undefined) {
  const { rows } = await sql<Table>`
    select n.nspname as schema, c.relname as name, p.logicalrelid is not null as is_distributed,
      (select a.attname from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
        where i.indrelid = c.oid and i.indisprimary) as key,
      pg_relation_size(c.oid) > 0 as has_rows_here
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
      left join pg_dist_partition p on p.logicalrelid = c.oid
    where c.relkind = 'r' and n.nspname !~ '^(pg_|pgboss$|information_schema$)'
      and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid
        and d.deptype = 'e')
      and (${schema ?? null}::text is null or n.nspname = ${schema ?? null})
    order by (n.nspname, c.relname) <> ('public', ${ANCHOR}), n.nspname, c.relname`.execute(db)
  return rows
}

function stepsOf(table: Table, shards: number | undefined) {
  if (table.key !== BY_COMPANY) return []
  const name = `${table.schema === 'public' ? '' : `${table.schema}.`}${table.name}`
  const steps: DistributionStep[] = []
  if (!table.is_distributed) {
    steps.push({
      line: `table ${name}: distributed by ${BY_COMPANY}`,
      run: (transaction) => distributeTable(transaction, table, shards),
    })
  }
  if (table.has_rows_here) {
    steps.push({
      line: `table ${name}: old rows removed from the coordinator`,
      run: (transaction) => removeLocalRows(transaction, table),
    })
  }
  return steps
}

async function distributeTable(db: Kysely<unknown>, table: Table, shards: number | undefined) {
  // Citus calls every trigger unsafe, because one could touch other shards. Those of events only refuse changes; with
  // this setting, each shard gets them, also when it is moved.
  await sql`set local citus.enable_unsafe_triggers = on`.execute(db)
  const isBesideAnchor = table.name !== ANCHOR
  await sql`select create_distributed_table(${idOf(table)}::regclass, ${BY_COMPANY},
    colocate_with => ${isBesideAnchor ? `public.${ANCHOR}` : 'none'},
    shard_count => ${isBesideAnchor ? null : (shards ?? null)}::integer)`.execute(db)
}

async function removeLocalRows(db: Kysely<unknown>, table: Table) {
  const name = sql.id(table.schema, table.name)
  // Only here: the shards keep their triggers.
  await sql`set local citus.enable_ddl_propagation = off`.execute(db)
  await sql`set local citus.enable_unsafe_triggers = on`.execute(db)
  await sql`alter table ${name} disable trigger user`.execute(db)
  await sql`select truncate_local_data_after_distributing_table(${idOf(table)}::regclass)`.execute(db)
  await sql`alter table ${name} enable trigger user`.execute(db)
}

function idOf({ schema, name }: Table) {
  return `"${schema}"."${name}"`
}

async function isErasingPlaced(db: Kysely<unknown>) {
  const { rows } = await sql`select from pg_dist_object where classid = 'pg_proc'::regclass
    and objid = ${ERASING}::regprocedure and force_delegation`.execute(db)
  return rows.length > 0
}

const placeErasing: DistributionStep = {
  line: 'function erase_events: runs where the rows of its company are stored',
  async run(transaction) {
    await sql`select create_distributed_function(${ERASING}::regprocedure, 'of_company',
      colocate_with => ${`public.${ANCHOR}`}, force_delegation => true)`.execute(transaction)
  },
}
