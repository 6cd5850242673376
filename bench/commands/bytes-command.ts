import type { Command } from 'commander'
import type { RunOptions } from '../compare/command-options.ts'
import { addRunOptions, parseCount, printProgress, recordsOption } from '../compare/command-options.ts'
import { formatMachine, formatTable } from '../compare/markdown.ts'
import { describeMachine } from '../processes/machine.ts'
import { withThrowawayServer } from '../processes/postgres.ts'
import { publishResults } from '../report/results.ts'
import type { BytesResult } from './bytes.ts'
import { GROUPS, measureBytes, measurePeak } from './bytes.ts'

interface Options extends RunOptions {
  employees: number
  records: number
}

/** The records of a call whose peak memory is measured. */
const LARGE_CALL = 10_000

/** Without autovacuum and checkpoints at any time, the figures do not depend on how long the run takes. */
const SETTINGS = { autovacuum: 'off', checkpoint_timeout: '1d', max_wal_size: '64GB' }

/** `bench bytes`: the storage, write-ahead log and processor time of a record. */
export function addBytesCommand(program: Command): void {
  const command = program
    .command('bytes')
    .description('measure what a record of a bulk call costs to store')
    .option('--employees <n>', 'employees of the company', parseCount, 20_000)
    .addOption(recordsOption())
  addRunOptions(command).action(run)
}

async function run({ employees, records, out, dataDir }: Options): Promise<void> {
  const { machine, results, peak } = await withThrowawayServer(dataDir, SETTINGS, async (server, folder) => ({
    machine: await describeMachine(server, folder),
    results: await measureBytes(server, { employees, records }, printProgress),
    peak: await measurePeak(server, LARGE_CALL),
  }))
  const facts = `One company of ${employees} employees, calls of ${records} records.`
  const markdown = [formatMachine(machine), facts, formatBytes(results), formatPeak(peak)].join('\n\n')
  await publishResults(out, 'bytes', {
    json: { machine, employees, records, results, peak },
    markdown,
  })
}

function formatPeak(mebibytes: number): string {
  return `Four calls of ${LARGE_CALL} records at once, creations and then patches: the service peaks at ${mebibytes.toFixed(0)} MiB.`
}

/** Formats the costs of a record. */
export function formatBytes(results: BytesResult[]): string {
  const rows = results.map(({ work, walBytes, storageBytes, groups, serviceCpuMs, postgresCpuMs }) => [
    work,
    ...[walBytes, storageBytes, ...GROUPS.map((group) => groups[group])].map((bytes) => bytes.toFixed(0)),
    ...[serviceCpuMs, postgresCpuMs].map((milliseconds) => milliseconds.toFixed(3)),
  ])
  const columns = ['write-ahead log', 'storage', ...GROUPS, 'service, CPU ms', 'PostgreSQL, CPU ms']
  return formatTable(['for each record, in bytes', ...columns], rows)
}
