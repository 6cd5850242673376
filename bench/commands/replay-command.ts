import type { Command } from 'commander'
import { sql } from 'kysely'
import { PROJECTIONS } from '../../projections/index.ts'
import { createTables, schemaOf } from '../../projections/projection.ts'
import { createIndexes } from '../../src/postgres/create-indexes.ts'
import { openDatabase } from '../../src/postgres/kysely.ts'
import { openPool } from '../../src/postgres/pool.ts'
import { readHead } from '../../src/ledger/read/read-head.ts'
import type { LedgerTables } from '../../src/ledger/tables.ts'
import { foldNext } from '../../src/workers/project.ts'
import { REBUILD_BATCH_EVENTS } from '../../src/workers/rebuild.ts'
import type { RunOptions } from '../compare/command-options.ts'
import { addRunOptions, parseCount, printProgress, recordsOption } from '../compare/command-options.ts'
import { fillLedger } from './fill-ledger.ts'
import { describeMachine } from '../processes/machine.ts'
import { formatMachine, formatNumber, formatTable } from '../compare/markdown.ts'
import { openOurs } from '../peers/ours-peer.ts'
import type { ServerUrls } from '../processes/postgres.ts'
import { withThrowawayServer } from '../processes/postgres.ts'
import { publishResults } from '../report/results.ts'
import { median } from '../report/statistics.ts'

interface Options extends RunOptions {
  events: number
  rounds: number
  records: number
}

/** The time of a projection to fold a whole ledger in one otherwise idle process. */
interface Replay {
  projection: string
  events: number
  seconds: number
  /** Processor time of this process, without PostgreSQL. */
  cpuSeconds: number
}

const COMPANIES = 1
/** Far above the real versions, so that the schemas do not collide. */
const FIRST_VERSION = 9000

/** `bench replay`: the rate at which each projection folds a ledger from the first event. */
export function addReplayCommand(program: Command): void {
  const command = program
    .command('replay')
    .description('replay each projection from the first event into empty tables')
    .option('--events <n>', 'events of the ledger', parseCount, 200_000)
    .option('--rounds <n>', 'replays of each projection', parseCount, 3)
    .addOption(recordsOption())
  addRunOptions(command).action(run)
}

async function run({ events, rounds, records, out, dataDir }: Options): Promise<void> {
  const { machine, replays } = await withThrowawayServer(dataDir, {}, async (server, folder) => {
    const machine = await describeMachine(server, folder)
    const database = 'bench_replay'
    const urls = await server.createDatabase(database)
    const ours = await openOurs(urls, { companies: [COMPANIES], records })
    await fillLedger(ours, COMPANIES, events, records, { employeeIds: [], logIds: [] }, printProgress)
    const { companyId } = ours.tenants.get(COMPANIES)![0]!
    // From here on, only the replay runs.
    await ours.stop()
    await server.run('vacuum (analyze)', database)
    const replays: Replay[] = []
    for (let round = 0; round < rounds; round += 1)
      replays.push(...(await replayAll(urls, companyId, FIRST_VERSION + round)))
    return { machine, replays }
  })
  const rows = [...Map.groupBy(replays, ({ projection }) => projection)].map(([name, rounds]) => [
    name,
    rounds[0]!.events,
    formatNumber(median(rounds.map(({ events, seconds }) => events / seconds))),
    formatNumber(median(rounds.map(({ events, cpuSeconds }) => (cpuSeconds / events) * 1_000_000))),
  ])
  const markdown = [
    formatMachine(machine),
    formatTable(['projection', 'events', 'events/s', 'CPU µs an event in Node.js'], rows),
  ].join('\n\n')
  await publishResults(out, 'replay', { json: { machine, replays }, markdown })
}

async function replayAll(urls: ServerUrls, companyId: string, version: number): Promise<Replay[]> {
  const settings = { jit: 'off', synchronous_commit: 'off' }
  const db = openDatabase<LedgerTables>(openPool({ url: urls.ownerUrl, name: 'bench replay', max: 2, settings }))
  try {
    const { position: events } = await readHead(db, companyId)
    const replays: Replay[] = []
    for (const projection of PROJECTIONS) {
      const fresh = { ...projection, version }
      await sql`create schema ${sql.id(schemaOf(fresh))}`.execute(db)
      await createTables(db as never, fresh, schemaOf(fresh))
      const [started, cpu] = [performance.now(), process.cpuUsage()]
      for (let isEnd = false; !isEnd;)
        isEnd = (await foldNext(db, fresh, companyId, { batchEvents: REBUILD_BATCH_EVENTS })).isDone
      await createIndexes(db, schemaOf(fresh), fresh.indexes)
      const seconds = (performance.now() - started) / 1000
      const { user, system } = process.cpuUsage(cpu)
      replays.push({ projection: projection.name, events, seconds, cpuSeconds: (user + system) / 1_000_000 })
      printProgress(`${projection.name}: ${events} events in ${seconds.toFixed(1)} s`)
      await sql`drop schema ${sql.id(schemaOf(fresh))} cascade`.execute(db)
    }
    return replays
  } finally {
    await db.destroy()
  }
}
