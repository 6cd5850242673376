import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { Command } from 'commander'
import { typeidUnboxed as newId } from 'typeid-js'
import { registerCompany } from '../../src/accounts/companies/register-company.ts'
import { openPool } from '../../src/postgres/pool.ts'
import { withClient } from '../../src/postgres/with-client.ts'
import type { EventData, NewEvent } from '../../src/domain/events.ts'
import { placeEvents } from '../../src/ledger/append/place-events.ts'
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
  perCall: number
  against?: string
}

/** The results of one version of the program, by command. */
interface Measured {
  version: string
  steps: Record<string, MeasuredProcess>
}

const ROOT = path.resolve(import.meta.dirname, '../..')
const DATABASE = 'bench_large_records'
const PROJECTION = 'bulk-user-logs'

/** `bench large-records`: the peak memory of commands on a ledger of large refused records. */
export function addLargeRecordsCommand(program: Command): void {
  const command = program
    .command('large-records')
    .description('measure the peak memory of rebuild, verification, export, and erasure with large refused records')
    .option('--records <n>', 'number of refused records', parseCount, 100)
    .option('--mebibytes <n>', 'size of each record in MiB', parseCount, 8)
    .option('--per-call <n>', 'refused records in each call', parseCount, 1)
    .option('--against <folder>', 'folder of another version of the program to measure first, on the same ledger')
  addRunOptions(command).action(run)
}

async function run({ out, report, dataDir, ...options }: Options): Promise<void> {
  const { machine, measured } = await withThrowawayServer(dataDir, {}, async (server, folder) => {
    const machine = await describeMachine(server, folder)
    return { machine, measured: await measureAll(server, options, folder) }
  })
  const { records, mebibytes, perCall } = options
  const facts = `${records} refused records of ${mebibytes} MiB, ${perCall} in a call.`
  const rows = Object.keys(measured[0]!.steps).map((name) => [
    `\`${name}\``,
    ...measured.flatMap(({ steps }) => [formatNumber(steps[name]!.seconds), formatNumber(steps[name]!.peakMebibytes)]),
  ])
  const columns = measured.flatMap(({ version }) => [`${version}: seconds`, `${version}: peak MiB`])
  const markdown = [formatMachine(machine), facts, formatTable(['command', ...columns], rows)].join('\n\n')
  await publishResults({ out, report }, 'large-records', { json: { machine, options, measured }, markdown })
}

async function measureAll(
  server: BenchServer,
  options: Omit<Options, keyof RunOptions>,
  parentDir: string,
): Promise<Measured[]> {
  const urls = await server.createDatabase(DATABASE)
  const settings = { DATABASE_URL: urls.serviceUrl, MIGRATE_DATABASE_URL: urls.ownerUrl, DATA_DIR: parentDir }
  await measureProcess(process.execPath, ['src/main.ts', 'migrate'], settings)
  const companyId = await fill(urls, options)
  const measured: Measured[] = []
  for (const [version, root] of [
    ['before', options.against],
    ['now', ROOT],
  ] as const) {
    if (root === undefined) continue
    const folder = path.join(parentDir, version)
    await mkdir(folder)
    const at = { companyId, root, settings: { ...settings, DATA_DIR: folder }, erased: emailOf(measured.length) }
    measured.push({ version, steps: await measure(at) })
  }
  return measured
}

/** Runs each command on a filled ledger in its own process. */
async function measure(at: { companyId: string; root: string; settings: Record<string, string>; erased: string }) {
  const { companyId, root, settings, erased } = at
  const steps: Record<string, MeasuredProcess> = {}
  async function step(name: string, ...args: string[]): Promise<void> {
    steps[name] = await measureProcess(process.execPath, ['src/main.ts', ...name.split(' '), ...args], settings, root)
    printProgress(`${name}: ${steps[name].seconds.toFixed(1)} s, ${steps[name].peakMebibytes.toFixed(0)} MiB`)
  }
  await step('projections rebuild', PROJECTION)
  await step('projections verify', PROJECTION)
  await step('audit export', '--company', companyId, '--out', path.join(settings['DATA_DIR']!, 'ledger.ndjson'))
  await step('employee erase', '--company', companyId, '--email', erased, '--yes')
  return steps
}

/** Creates a company and writes the records directly, because the API refuses such large ones. Returns its id. */
async function fill(
  urls: ServerUrls,
  { records, mebibytes, perCall }: Omit<Options, keyof RunOptions>,
): Promise<string> {
  const pool = openPool({ url: urls.serviceUrl, name: 'bench', max: 1 })
  try {
    const companyId = await registerCompany({ pool, newId }, 'Company of large records')
    await withClient(pool, async (client) => {
      for (let at = 0; at < records; at += perCall) {
        await client.query('begin')
        let [head] = await lockHeads(client, [companyId], 'wait')
        const origin = { callId: newId('log'), actor: newId('key') }
        for (const event of refusedCall(origin.callId, {
          first: at,
          count: Math.min(perCall, records - at),
          bytes: mebibytes * 2 ** 20,
        })) {
          const next = placeEvents(head!, [event], origin)
          await insertEvents(client, next.placed)
          head = next.head
        }
        await updateHeads(client, [head!])
        await client.query('commit')
        printProgress(`${Math.min(at + perCall, records)} of ${records} records`)
      }
    })
    return companyId
  } finally {
    await pool.end()
  }
}

/** Generates the events of a call that was refused because of these records. */
function* refusedCall(
  callId: string,
  { first, count: length, bytes }: { first: number; count: number; bytes: number },
): Generator<NewEvent> {
  const errors = [{ pointer: '/0', code: 'too_long' as const, message: 'the record has too many members' }]
  for (let index = 0; index < length; index += 1) {
    const data = { locator: null, employee_id: null, record: largeRecord(emailOf(first + index), bytes), errors }
    yield { type: 'EmployeeRecordRejected', stream: callId, version: index + 1, index, data }
  }
  const failed: EventData['ApiCallFailed'] = {
    operation: 'create',
    requested_at: new Date().toISOString(),
    duration_ms: 1,
    request_id: 'large-records',
    key: { id: newId('key'), name: 'HR sync' },
    counts: { total: length, updated: 0, deactivated: 0, failed: length, no_updates: 0 },
    http_status: 422,
    code: 'validation_failed',
    detail: `${length} of ${length} records have errors; nothing was applied`,
  }
  yield { type: 'ApiCallFailed', stream: callId, version: length + 1, index: null, data: failed }
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
