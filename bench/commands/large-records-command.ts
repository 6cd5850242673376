import path from 'node:path'
import type { Command } from 'commander'
import { typeidUnboxed as newId } from 'typeid-js'
import { registerCompany } from '../../src/accounts/companies/companies.ts'
import { openPool, withClient } from '../../src/postgres/pool.ts'
import type { EventData, NewEvent } from '../../src/domain/events.ts'
import { placeEvents } from '../../src/ledger/append/company-state.ts'
import { insertEvents, lockHeads, updateHeads } from '../../src/ledger/append/statements.ts'
import type { RunOptions } from '../compare/command-options.ts'
import { addRunOptions, parseCount, printProgress } from '../compare/command-options.ts'
import { describeMachine } from '../processes/machine.ts'
import { formatMachine, formatNumber, formatTable } from '../compare/markdown.ts'
import type { MeasuredProcess } from '../processes/measured-process.ts'
import { measureProcess } from '../processes/measured-process.ts'
import type { BenchServer, ServerUrls } from '../processes/postgres.ts'
import { withThrowawayServer } from '../processes/postgres.ts'
import { publishResults } from '../report/results.ts'

interface Options extends RunOptions {
  records: number
  mebibytes: number
}

const DATABASE = 'bench_large_records'
const PROJECTION = 'bulk-user-logs'

/** `bench large-records`: the peak memory of commands on a ledger of large refused records. */
export function addLargeRecordsCommand(program: Command): void {
  const command = program
    .command('large-records')
    .description('measure the peak memory of rebuild, verification, export, and erasure with large refused records')
    .option('--records <n>', 'number of refused records', parseCount, 100)
    .option('--mebibytes <n>', 'size of each record in MiB', parseCount, 8)
  addRunOptions(command).action(run)
}

async function run({ out, dataDir, ...options }: Options): Promise<void> {
  const { machine, steps } = await withThrowawayServer(dataDir, {}, async (server, folder) => {
    const machine = await describeMachine(server, folder)
    return { machine, steps: await measure(server, options, folder) }
  })
  const facts = `${options.records} refused records of ${options.mebibytes} MiB, each in its own call.`
  const rows = Object.entries(steps).map(([name, { seconds, peakMebibytes }]) => [
    `\`${name}\``,
    formatNumber(seconds),
    formatNumber(peakMebibytes),
  ])
  const table = formatTable(['command', 'seconds', 'peak MiB'], rows)
  const markdown = [formatMachine(machine), facts, table].join('\n\n')
  await publishResults(out, 'large-records', { json: { machine, options, steps }, markdown })
}

/** Fills a ledger and runs each command on it in its own process. */
async function measure(
  server: BenchServer,
  options: Omit<Options, keyof RunOptions>,
  folder: string,
): Promise<Record<string, MeasuredProcess>> {
  const urls = await server.createDatabase(DATABASE)
  const settings = { DATABASE_URL: urls.serviceUrl, MIGRATE_DATABASE_URL: urls.ownerUrl, DATA_DIR: folder }
  await measureProcess(process.execPath, ['src/main.ts', 'migrate'], settings)
  const companyId = await fill(urls, options)
  const steps: Record<string, MeasuredProcess> = {}
  async function step(name: string, ...args: string[]): Promise<void> {
    steps[name] = await measureProcess(process.execPath, ['src/main.ts', ...name.split(' '), ...args], settings)
    printProgress(`${name}: ${steps[name].seconds.toFixed(1)} s, ${steps[name].peakMebibytes.toFixed(0)} MiB`)
  }
  await step('projections rebuild', PROJECTION)
  await step('projections verify', PROJECTION)
  await step('audit export', '--company', companyId, '--out', path.join(folder, 'ledger.ndjson'))
  await step('employee erase', '--company', companyId, '--email', emailOf(0), '--yes')
  return steps
}

/** Creates a company and writes the records directly, because the API refuses such large ones. Returns its id. */
async function fill(urls: ServerUrls, { records, mebibytes }: Omit<Options, keyof RunOptions>): Promise<string> {
  const pool = openPool({ url: urls.serviceUrl, name: 'bench', max: 1 })
  try {
    const companyId = await registerCompany({ pool, newId }, 'Company of large records')
    await withClient(pool, async (client) => {
      for (let at = 0; at < records; at += 1) {
        await client.query('begin')
        const [head] = await lockHeads(client, [companyId], 'wait')
        const origin = { callId: newId('log'), actor: newId('key') }
        const next = placeEvents(head!, refusedCall(origin.callId, emailOf(at), mebibytes * 2 ** 20), origin)
        await insertEvents(client, next.placed)
        await updateHeads(client, [next.head])
        await client.query('commit')
        printProgress(`${at + 1} of ${records} records`)
      }
    })
    return companyId
  } finally {
    await pool.end()
  }
}

/** The events of a call that was refused because of its only record. */
function refusedCall(callId: string, email: string, bytes: number): NewEvent[] {
  const errors = [{ pointer: '/0', code: 'too_long' as const, message: 'the record has too many members' }]
  const rejected = { locator: null, employee_id: null, record: largeRecord(email, bytes), errors }
  const failed: EventData['ApiCallFailed'] = {
    operation: 'create',
    requested_at: new Date().toISOString(),
    duration_ms: 1,
    request_id: 'large-records',
    key: { id: newId('key'), name: 'HR sync' },
    counts: { total: 1, updated: 0, deactivated: 0, failed: 1, no_updates: 0 },
    http_status: 422,
    code: 'validation_failed',
    detail: '1 of 1 records has errors; nothing was applied',
  }
  return [
    { type: 'EmployeeRecordRejected', stream: callId, version: 1, index: 0, data: rejected },
    { type: 'ApiCallFailed', stream: callId, version: 2, index: null, data: failed },
  ]
}

const emailOf = (at: number) => `refused.${at}@example.com`

const MEMBERS = 256

function largeRecord(email: string, bytes: number): Record<string, string> {
  const text = 'abcdefgh'.repeat(bytes / MEMBERS / 8)
  return {
    email,
    ...(Object.fromEntries(Array.from({ length: MEMBERS }, (_, at) => [`member_${at}`, text])) as Record<
      string,
      string
    >),
  }
}
