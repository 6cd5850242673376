import type { Command } from 'commander'
import { Option } from 'commander'
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import type { RunOptions } from '../compare/command-options.ts'
import { addRunOptions, parseCount, parsePositive, printProgress, recordsOption } from '../compare/command-options.ts'
import type { TakenTime } from '../processes/cpu-profile.ts'
import { findProfile, readProfileClock, readProfile } from '../processes/cpu-profile.ts'
import { warmUp } from '../compare/compare.ts'
import { openCrud } from '../peers/crud-peer.ts'
import { describeMachine } from '../processes/machine.ts'
import { formatMachine, formatNumber, formatTable } from '../compare/markdown.ts'
import { openCold, openOurs } from '../peers/ours-peer.ts'
import type { Work } from '../load/peer.ts'
import { WORKS } from '../load/peer.ts'
import type { BenchServer, ServerUrls } from '../processes/postgres.ts'
import { withThrowawayServer } from '../processes/postgres.ts'
import { publishResults } from '../report/results.ts'
import { assertNoFailures, runCalls } from '../load/run-calls.ts'
import { formatCostTable, startCost } from '../compare/server-cost.ts'

const PROFILED_PEERS = ['ours', 'cold', 'crud'] as const
type ProfiledPeer = (typeof PROFILED_PEERS)[number]

interface Options extends RunOptions {
  work: Work
  peer: ProfiledPeer
  companies: number
  callers: number
  records: number
  seconds: number
}

const STATEMENTS = { shared_preload_libraries: 'pg_stat_statements', 'pg_stat_statements.track_planning': 'on' }
/** The maximum number of rows of a table. */
const ROWS = 30
const STATEMENT_CHARACTERS = 90

/** `bench profile`: where one kind of call spends its time, in the service and in PostgreSQL, and the cost of a million calls. */
export function addProfileCommand(program: Command): void {
  const command = program
    .command('profile')
    .description('profile one kind of call')
    .addOption(new Option('--work <work>', 'the kind of call').choices(WORKS).makeOptionMandatory())
    .addOption(new Option('--peer <peer>', 'the peer that is called').choices(PROFILED_PEERS).default('ours'))
    .option('--companies <n>', 'number of companies to spread the calls over', parseCount, 1)
    .option('--callers <n>', 'concurrent callers', parseCount, 32)
    .addOption(recordsOption())
    .option('--seconds <n>', 'duration of the measurement', parsePositive, 10)
  addRunOptions(command).action(run)
}

async function run(options: Options): Promise<void> {
  const { work, peer: peerName, companies, callers, records, seconds, out, dataDir } = options
  const name = `profile-${peerName}-${work}`
  const markdown = await withThrowawayServer(dataDir, STATEMENTS, async (server, folder) => {
    const machine = await describeMachine(server, folder)
    const profileDir = await mkdtemp(path.join(dataDir, 'employee-ledger-profile-'))
    const database = 'bench_profile'
    const urls = await server.createDatabase(database)
    await server.run('create extension pg_stat_statements', database)
    const nodeOptions = ['--cpu-prof', `--cpu-prof-dir=${profileDir}`]
    const peer = await openPeer(peerName, urls, { companies: [companies], records }, nodeOptions)
    const cell = { work, companies, callers }
    printProgress('warming up')
    await peer.begin?.(cell)
    const perSecond = await warmUp(peer, cell, seconds, callers)
    const calls = peer.prepare(cell, Math.max(callers, Math.round(perSecond * seconds)))
    await peer.visible?.()

    printProgress(`${calls.length} calls`)
    await server.run('select pg_stat_statements_reset()', database)
    const costSince = await startCost(server, database, peer.server.pid)
    const from = readProfileClock()
    const load = await runCalls(calls, callers)
    const to = readProfileClock()
    await peer.visible?.()
    const cost = await costSince()
    const statements = await statementRows(server, database, load.calls)
    await peer.stop()
    const profile = await findProfile(profileDir)
    const { functions, places, withCallees } = await readProfile(profile, from, to)
    // Kept for profile viewers.
    await mkdir(out, { recursive: true })
    await copyFile(profile, path.join(out, `${name}.cpuprofile`))
    await rm(profileDir, { recursive: true })
    assertNoFailures(work, load)

    const title = `${peerName}, ${work}, ${companies} companies, ${callers} callers: ${formatNumber(load.perSecond)} calls/s`
    return [
      formatMachine(machine),
      `${title}, p50 ${formatNumber(load.p50Ms)} ms, p99 ${formatNumber(load.p99Ms)} ms`,
      formatCostTable(cost, load.calls),
      'Processor time of the service by package or folder, while the calls ran:',
      formatTimeTable(places.slice(0, ROWS), load.calls),
      'By function, without callees:',
      formatTimeTable(functions.slice(0, ROWS), load.calls),
      'Functions of the service with their callees, up to the first await:',
      formatTimeTable(withCallees.slice(0, ROWS), load.calls),
      'Statements of PostgreSQL, until the log showed all calls:',
      formatTable(['statement', 'times', 'ms a call', 'mean ms', 'planning ms a call', 'log kB a call'], statements),
    ].join('\n\n')
  })
  await publishResults(out, name, { json: { markdown }, markdown })
}

function openPeer(
  name: ProfiledPeer,
  urls: ServerUrls,
  sizes: { companies: number[]; records: number },
  nodeOptions: string[],
) {
  if (name === 'crud') return openCrud(urls, sizes, nodeOptions)
  return name === 'cold' ? openCold(urls, sizes, nodeOptions) : openOurs(urls, sizes, { nodeOptions })
}

function formatTimeTable(times: TakenTime[], calls: number): string {
  const rows = times.map(({ name, ms, share }) => [
    `\`${name}\``,
    `${(share * 100).toFixed(1)} %`,
    ((ms * 1000) / calls).toFixed(1),
  ])
  return formatTable(['what', 'of the time', 'µs a call'], rows)
}

/** The statements with the most total time, and their cost per call. */
async function statementRows(server: BenchServer, database: string, calls: number): Promise<(string | number)[][]> {
  const rows = await server.run<{
    query: string
    calls: string
    exec: number
    mean: number
    plan: number
    wal: string
  }>(
    `select query, s.calls, total_exec_time as exec, mean_exec_time as mean, total_plan_time as plan, wal_bytes as wal
     from pg_stat_statements s join pg_database d on d.oid = s.dbid where datname = '${database}'
     order by total_exec_time + total_plan_time desc limit ${ROWS}`,
    database,
  )
  return rows.map(({ query, calls: times, exec, mean, plan, wal }) => {
    const text = query
      .replaceAll(/\s+/g, ' ')
      .replaceAll('|', String.raw`\|`)
      .slice(0, STATEMENT_CHARACTERS)
    const each = (value: number) => (value / calls).toFixed(3)
    return [`\`${text}\``, times, each(exec), mean.toFixed(3), each(plan), each(Number(wal) / 1000)]
  })
}
