import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { DistributionStep } from './distribution-step.ts'

/*
 * A function that keeps shards on the machine that runs it until the transaction ends, for transactions that write to
 * the tables of shards themselves (see src/postgres/shard.ts). It takes the lock that Citus's own writes take
 * and that moving or splitting a shard waits for, and then checks that the shards are here. Citus gives this lock to
 * the owner of the tables only, because whoever holds it can stop a move and all writes behind it. So the function has
 * the owner's rights, and only the service may call it. `patience` is a lock_timeout; null keeps that of the session.
 */

/** The function's signature. */
export const HOLDING = 'public.hold_shards(bigint[], text)'
const SHARE_LOCK = 5

const CREATE = `create or replace function public.hold_shards(shards bigint[], patience text) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  before text := current_setting('lock_timeout');
begin
  begin
    perform set_config('lock_timeout', coalesce(patience, before), true);
    perform lock_shard_metadata(${SHARE_LOCK}, shards);
  exception
    when lock_not_available then
      if patience is null then
        raise;
      end if;
      raise exception 'a shard is being moved' using errcode = 'EL001';
    when internal_error then
      raise exception 'a shard has been split' using errcode = 'object_in_use';
  end;
  perform set_config('lock_timeout', before, true);
  if (select count(*) from pg_dist_placement p join pg_dist_local_group g on g.groupid = p.groupid
      where p.shardid = any (shards)) < cardinality(shards) then
    raise exception 'a shard is on another machine' using errcode = 'object_in_use';
  end if;
end $$`

/** The step that creates the function on every machine; none if it exists. */
export async function holdingSteps(db: Kysely<unknown>): Promise<DistributionStep[]> {
  return (await isHoldingCreated(db)) ? [] : [createHolding]
}

/** Whether the function exists. */
export async function isHoldingCreated(db: Kysely<unknown>): Promise<boolean> {
  const { rows } = await sql<{ exists: boolean }>`select to_regprocedure(${HOLDING}) is not null as exists`.execute(db)
  return rows[0]!.exists
}

const createHolding: DistributionStep = {
  line: 'function hold_shards: keeps shards where they are while the service writes to them',
  async run(transaction) {
    await sql.raw(CREATE).execute(transaction)
    await sql.raw(`revoke all on function ${HOLDING} from public`).execute(transaction)
    await sql`select create_distributed_function(${HOLDING}::regprocedure)`.execute(transaction)
  },
}
