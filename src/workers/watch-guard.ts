import { setTimeout as pause } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { unguardedTables } from '../ledger/audit/unguarded-tables.ts'
import { findEverywhere, leaveOut, machineTargets } from '../postgres/cluster/query-targets.ts'

const INTERVAL_MS = 60_000
/** How many tables the log names. */
const NAMED_TABLES = 10

interface GuardOptions {
  pool: Pool
  log: Logger
  /** Called after each round with the number of tables that could be changed. */
  onRound(count: number): void
  intervalMs?: number
}

/**
 * Looks once a minute, machine by machine, whether the triggers that refuse changes of events are there, and says in the
 * log what changed. Every worker does this, so it doesn't depend on one process. For a machine that doesn't answer, the
 * last result counts.
 */
export function watchGuard({ pool, log, onRound, intervalMs = INTERVAL_MS }: GuardOptions): { stop(): Promise<void> } {
  const stopped = new AbortController()
  const missingGuards = new Map<string | null, string[]>()

  async function look(): Promise<void> {
    const machines = machineTargets(pool)
    for (const machine of missingGuards.keys())
      if (!machines.some((target) => target.machine === machine)) missingGuards.delete(machine)
    const results = await findEverywhere(
      machines,
      async (target) => {
        const query = unguardedTables({ isMachine: target.machine !== null })
        const { rows } = await target.pool.query<{ name: string }>(query)
        return [{ machine: target.machine, tables: rows.map(({ name }) => name) }]
      },
      leaveOut(log, 'could not check the triggers that protect events on a machine'),
    )
    for (const { machine, tables } of results) {
      const before = missingGuards.get(machine) ?? []
      missingGuards.set(machine, tables)
      if (String(before) === String(tables)) continue
      const facts = { machine, count: tables.length, tables: tables.slice(0, NAMED_TABLES) }
      if (tables.length > 0) log.error(facts, 'events can be changed: a trigger that refuses it is missing or disabled')
      else log.warn(facts, 'the triggers that refuse changes of events are back')
    }
    onRound([...missingGuards.values()].reduce((sum, { length }) => sum + length, 0))
  }

  async function run(): Promise<void> {
    while (!stopped.signal.aborted) {
      await look().catch((error: unknown) =>
        log.warn({ err: error }, 'could not check the triggers that protect events'),
      )
      await pause(intervalMs, undefined, { signal: stopped.signal }).catch(() => undefined)
    }
  }

  const running = run()
  return {
    async stop() {
      stopped.abort()
      await running
    },
  }
}
