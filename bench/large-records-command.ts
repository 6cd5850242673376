import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { Command } from 'commander'
import { typeidUnboxed as newId } from 'typeid-js'
import { registerCompany } from '../src/commands/register-company.ts'
import { openPool } from '../src/database/pool.ts'
import type { EventData, NewEvent } from '../src/domain/events.ts'
import { placeEvents } from '../src/ledger/place-events.ts'
import { insertEvents, lockHeads, updateHeads } from '../src/ledger/statements.ts'
import type { RunOptions } from './command-options.ts'
import { addRunOptions, count, tell } from './command-options.ts'
import { describeMachine } from './machine.ts'
import { machineLines, short, table } from './markdown.ts'
import type { MeasuredProcess } from './measured-process.ts'
import { measureProcess } from './measured-process.ts'
import type { BenchServer, ServerUrls } from './postgres.ts'
import { withThrowawayServer } from './postgres.ts'
import { writeIntoReport, writeResults } from './results.ts'

interface Options extends RunOptions {
  records: number
  mebibytes: number
  perCall: number
  program: string
}

const DATABASE = 'bench_large_records'
const PROJECTION = 'bulk-user-logs'

/** `bench large-records`: the peak memory of commands that read a ledger of large refused records. */
export function addLargeRecordsCommand(program: Command): void {
  const command = program
    .command('large-records')
    .description('peak memory of rebuild, verification, export and erasure over large refused records')
    .option('--records <n>', 'how many refused records', count, 100)
    .option('--mebibytes <n>', 'how large each of them is', count, 8)
    .option('--per-call <n>', 'how many of them one call has', count, 1)
    .option('--program <folder>', 'the version of the program that is measured', path.dirname(import.meta.dirname))
  addRunOptions(command).action(run)
}

async function run({ out, report, dataDir, ...options }: Options): Promise<void> {
  const { machine, steps } = await withThrowawayServer(dataDir, {}, async (server, folder) => {
    const machine = await describeMachine(server, folder)
    return { machine, steps: await measure(server, options, folder) }
  })
  const { records, mebibytes, perCall } = options
  const facts = `${records} refused records of ${mebibytes} MiB, ${perCall} in a call.`
  const rows = Object.entries(steps).map(([name, { seconds, peakMebibytes }]) => [`\`${name}\``, short(seconds), short(peakMebibytes)])
  const markdown = [machineLines(machine), facts, table(['command', 'seconds', 'peak MiB'], rows)].join('\n\n')
  const files = await writeResults(out, 'large-records', { json: { machine, options, steps }, markdown })
  if (report !== undefined) await writeIntoReport(report, 'large-records', markdown)
  process.stdout.write(`${markdown}\n\n${files.join('\n')}\n`)
}

/** Fills a ledger, and runs each command on it in a process of its own. */
async function measure(server: BenchServer, options: Omit<Options, keyof RunOptions>, parentDir: string): Promise<Record<string, MeasuredProcess>> {
  const folder = path.join(parentDir, 'large-records')
  await mkdir(folder)
  const urls = await server.createDatabase(DATABASE)
  const settings = { DATABASE_URL: urls.serviceUrl, MIGRATE_DATABASE_URL: urls.ownerUrl, DATA_DIR: folder }
  const runProgram = (args: string[]) => measureProcess(process.execPath, ['src/main.ts', ...args], settings, options.program)
  await runProgram(['migrate'])
  const companyId = await fill(urls, options)
  const steps: Record<string, MeasuredProcess> = {}
  async function step(name: string, ...args: string[]): Promise<void> {
    steps[name] = await runProgram([...name.split(' '), ...args])
    tell(`${name}: ${steps[name].seconds.toFixed(1)} s, ${steps[name].peakMebibytes.toFixed(0)} MiB`)
  }
  await step('projections rebuild', PROJECTION)
  await step('projections verify', PROJECTION)
  await step('audit export', '--company', companyId, '--out', path.join(folder, 'ledger.ndjson'))
  await step('employee erase', '--company', companyId, '--email', emailOf(0), '--yes')
  return steps
}

/** Makes a company with these records, as the service would store them, if it took as large ones. Returns its id. */
async function fill(urls: ServerUrls, { records, mebibytes, perCall }: Omit<Options, keyof RunOptions>): Promise<string> {
  const pool = openPool({ url: urls.serviceUrl, name: 'bench', max: 1 })
  try {
    const companyId = await registerCompany({ pool, newId }, 'Company of large records')
    const client = await pool.connect()
    try {
      for (let at = 0; at < records; at += perCall) {
        await client.query('begin')
        let [head] = await lockHeads(client, [companyId], true)
        const origin = { callId: newId('log'), actor: newId('key') }
        for (const event of refusedCall(origin.callId, { first: at, count: Math.min(perCall, records - at), bytes: mebibytes * 2 ** 20 })) {
          const next = placeEvents(head!, [event], origin)
          await insertEvents(client, next.placed)
          head = next.head
        }
        await updateHeads(client, [head!])
        await client.query('commit')
        tell(`${Math.min(at + perCall, records)} of ${records} records`)
      }
    } finally {
      client.release()
    }
    return companyId
  } finally {
    await pool.end()
  }
}

/** The events of a call that was refused because of such records, one by one. */
function* refusedCall(callId: string, { first, count: length, bytes }: { first: number; count: number; bytes: number }): Generator<NewEvent> {
  const errors = [{ pointer: '/0', code: 'too_long' as const, message: 'the record has too many members' }]
  for (let index = 0; index < length; index += 1) {
    const data = { locator: null, employee_id: null, record: largeRecord(emailOf(first + index), bytes), errors }
    yield { type: 'EmployeeRecordRejected', stream: callId, version: index + 1, index, data }
  }
  const failed: EventData['ApiCallFailed'] = {
    ...{ operation: 'create', requested_at: new Date().toISOString(), duration_ms: 1, request_id: 'large-records' },
    ...{ key: { id: newId('key'), name: 'HR sync' }, counts: { total: length, updated: 0, deactivated: 0, failed: length, no_updates: 0 } },
    ...{ http_status: 422, code: 'validation_failed', detail: `${length} of ${length} records have errors; nothing was applied` },
  }
  yield { type: 'ApiCallFailed', stream: callId, version: length + 1, index: null, data: failed }
}

const emailOf = (at: number) => `refused.${at}@example.com`

/** An object of many small members: of all records, what takes most memory once it is parsed. */
function largeRecord(email: string, bytes: number): Record<string, string> {
  const member = '"member_0000000":"abc",'
  const members = Array.from({ length: Math.floor(bytes / member.length) }, (_, at) => [`member_${String(at).padStart(7, '0')}`, 'abc'])
  return { email, ...(Object.fromEntries(members) as Record<string, string>) }
}
