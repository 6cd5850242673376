/*
 * Triggers refuse changes of events, even to the owner. An owner can disable or drop them, so they are looked for: by
 * `doctor`, and by each worker once a minute.
 */

/** The shards of events on the machine that is asked. `to_regclass` finds those that Citus hides from the catalog. */
const SHARDS_HERE = `select to_regclass(shard_name(s.logicalrelid, s.shardid)) as oid from pg_dist_shard s
  join pg_dist_placement p on p.shardid = s.shardid join pg_dist_local_group g on g.groupid = p.groupid
  where s.logicalrelid = 'public.events'::regclass`
const TABLE = `select 'public.events'::regclass as oid`

/**
 * A query for the names of the tables of events that lack a trigger: of the shards on a machine of a cluster, or of the
 * one table on plain PostgreSQL.
 */
export function unguardedTables({ isMachine }: { isMachine: boolean }): string {
  return `select e.oid::regclass::text as name from (${isMachine ? SHARDS_HERE : TABLE}) e where e.oid is not null
    and 2 > (select count(*) from pg_trigger t where t.tgrelid = e.oid and t.tgenabled in ('O', 'A')
      and t.tgname ~ '^events_are_(append_only|only_erased)(_[0-9]+)?$') order by 1`
}
