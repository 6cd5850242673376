/**
 * Limits, waits, and intervals of a process that nobody has to change in operation. Tests change them, through this one
 * object. A company may have a quarter of what its companies share.
 */
export const LIMITS = {
  /** Between two checkpoints of a company that changes, in milliseconds. */
  CHECKPOINT_INTERVAL_MS: 60_000,
  /** Bytes of bodies in memory; a key may have an eighth. Null: 8 bodies of BODY_LIMIT, but at least 64 MiB. */
  BODY_BUDGET: null as number | null,
  /** Parallel append transactions, in addition to the one that small calls share. */
  LANES: 4,
  /** Records (or kilobytes, if those are more) that share a commit; a larger call gets its own. */
  RECORDS_PER_COMMIT: 500,
  /** Writing calls taken on at once; of a company, as many more wait, and the rest get 503. */
  CALLS_WAITING: 8_000,
  /** Records (or kilobytes, if those are more) of the calls taken on at once. */
  RECORDS_WAITING: 50_000,
  /** How long a call may wait for its turn, in milliseconds; then it gets 503. */
  CALL_WAIT_MS: 10_000,
  /** Searches, exports, looks back in time, and test messages of one company at once; fewer than a quarter of POOL_SIZE. */
  HEAVY_READS: 3,
  /** Milliseconds within which each machine of a Citus cluster must answer. */
  MACHINE_ANSWER_MS: 1_250,
  /** Between two sweeps for events that no job announced, in milliseconds. */
  SWEEP_INTERVAL_MS: 5_000,
  /** Live streams that a user may have open. */
  STREAMS_PER_USER: 5,
  /** Between two heartbeats of a live stream, in milliseconds; the user's rights are checked at each one. */
  STREAM_HEARTBEAT_MS: 15_000,
  /** Milliseconds after which a live stream ends; its client reconnects and misses nothing. */
  STREAM_LIFE_MS: 900_000,
  /** Milliseconds to receive a request. */
  REQUEST_TIMEOUT_MS: 60_000,
}

export type Limits = typeof LIMITS
