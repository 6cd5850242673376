import type { Command } from 'commander'
import type { RunOptions } from '../compare/command-options.ts'
import { addRunOptions, parseCount, printProgress } from '../compare/command-options.ts'
import { formatMachine, formatNumber, formatTable } from '../compare/markdown.ts'
import { openOurs } from '../peers/ours-peer.ts'
import { describeMachine } from '../processes/machine.ts'
import { withThrowawayServer } from '../processes/postgres.ts'
import { publishResults } from '../report/results.ts'
import { copyCalls, createNamed } from './copy-calls.ts'
import { fillLedger } from './fill-ledger.ts'
import type { PageResult } from './pages.ts'
import { COUNTING, makeFailedCalls, measurePages } from './pages.ts'

interface Options extends RunOptions {
  events: number
  entries?: number
  failed: number
  times: number
}

const DATABASE = 'bench_pages'
const RECORDS = 1_000
const COMPANIES = 1

/** `bench pages`: what each page costs the database. */
export function addPagesCommand(program: Command): void {
  const command = program
    .command('pages')
    .description('measure the statements, blocks and milliseconds of each page')
    .option('--events <n>', 'size of the ledger', parseCount, 250_000)
    .option('--entries <n>', 'entries of the log: copies of calls are added until it has as many', parseCount)
    .option('--failed <n>', 'failed calls of five records', parseCount, 4_000)
    .option('--times <n>', 'how often each page is opened', parseCount, 20)
  addRunOptions(command).action(run)
}

async function run({ events, entries, failed, times, out, dataDir }: Options): Promise<void> {
  const { machine, results } = await withThrowawayServer(dataDir, COUNTING, async (server, folder) => {
    const machine = await describeMachine(server, folder)
    const ours = await openOurs(await server.createDatabase(DATABASE), { companies: [COMPANIES], records: RECORDS })
    try {
      const tenant = ours.tenants.get(COMPANIES)![0]!
      const samples = { employeeIds: [], logIds: [] }
      await fillLedger(ours, COMPANIES, events, RECORDS, samples, printProgress)
      await createNamed(ours, tenant)
      await makeFailedCalls(ours, tenant, failed)
      if (entries !== undefined) await copyCalls(server, DATABASE, tenant, entries)
      // In a ledger that grows over months, autovacuum does this.
      await server.run('vacuum (analyze)', DATABASE)
      printProgress('measuring')
      return { machine, results: await measurePages(server, DATABASE, { ours, tenant, samples, times }) }
    } finally {
      await ours.stop()
    }
  })
  const copied = entries === undefined ? '' : `, and copies of a call that make ${entries} entries of the log`
  const facts = `One company with ${events} events, ${failed} failed calls of five records${copied}.`
  const markdown = [formatMachine(machine), facts, formatPages(results)].join('\n\n')
  await publishResults(out, 'pages', { json: { machine, events, entries, failed, times, results }, markdown })
}

/** Formats what each page costs. */
export function formatPages(results: PageResult[]): string {
  const rows = results.map(({ page, statements, blocks, databaseMs, wholeMs }) => [
    page,
    statements.toFixed(0),
    blocks.toFixed(0),
    formatNumber(databaseMs),
    formatNumber(wholeMs),
  ])
  return formatTable(['page', 'statements', 'blocks', 'database, ms', 'whole, ms'], rows)
}
