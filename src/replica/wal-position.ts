/** A server's WAL position in bytes from the start, and which WAL it is. */
export interface WalPosition {
  in_recovery: boolean
  bytes: number
  system: string
  timeline: number
}

const BYTES = (lsn: string) => `coalesce(pg_wal_lsn_diff(${lsn}, '0/0'), -1)::bigint as bytes`
const SYSTEM = '(select system_identifier::text from pg_control_system()) as system'

export const PRIMARY_WAL_POSITION = `select pg_is_in_recovery() as in_recovery, ${SYSTEM},
  ${BYTES('case when pg_is_in_recovery() then null else pg_current_wal_lsn() end')},
  case when pg_is_in_recovery() then 0 else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer end as timeline`

// The timeline of the last restart point: after a failover, the replica is used again once it has made one.
export const REPLICA_WAL_POSITION = `select pg_is_in_recovery() as in_recovery, ${SYSTEM}, ${BYTES('pg_last_wal_replay_lsn()')},
  (select timeline_id from pg_control_checkpoint()) as timeline`

/** The reason why the replica's data is not an earlier state of the primary's, to follow “it”; null if it is. */
export function findReplicaFault(primary: WalPosition, replica: WalPosition): string | null {
  if (primary.in_recovery) return 'cannot be compared: DATABASE_URL names a standby itself'
  if (!replica.in_recovery) return 'is not a standby'
  if (replica.system !== primary.system) return 'is a standby of another server'
  if (replica.timeline !== primary.timeline)
    return `is on timeline ${replica.timeline} of the log, the primary on ${primary.timeline}`
  return null
}
