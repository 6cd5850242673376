import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { Command } from 'commander'
import type { AuditResult } from './audit.ts'
import { measureCommands, measureProofs } from './audit.ts'
import type { RunOptions } from '../compare/command-options.ts'
import { addRunOptions, parseCount, printProgress, recordsOption } from '../compare/command-options.ts'
import { fillLedger } from './fill-ledger.ts'
import type { Machine } from '../processes/machine.ts'
import { describeMachine } from '../processes/machine.ts'
import { formatMachine, formatNumber, formatTable } from '../compare/markdown.ts'
import { openOurs } from '../peers/ours-peer.ts'
import type { BenchServer } from '../processes/postgres.ts'
import { withThrowawayServer } from '../processes/postgres.ts'
import { publishResults } from '../report/results.ts'

interface Options extends RunOptions {
  events: number
  records: number
}

const COMPANIES = 1
const DATABASE = 'bench_audit'

/** `bench audit`: the time and memory to export, verify, and rebuild a long ledger, and to prove events of it. */
export function addAuditCommand(program: Command): void {
  const command = program
    .command('audit')
    .description('measure export, both verifiers, rebuild, and proofs of one ledger')
    .option('--events <n>', 'events of the ledger', parseCount, 1_000_000)
    .addOption(recordsOption())
  addRunOptions(command).action(run)
}

async function run({ events, records, out, dataDir }: Options): Promise<void> {
  const { machine, result } = await withThrowawayServer(dataDir, {}, async (server, folder) => {
    const machine = await describeMachine(server, folder)
    return { machine, result: await audit(server, { events, records }, folder) }
  })
  const markdown = formatAudit(machine, result)
  await publishResults(out, 'audit', { json: { machine, result }, markdown })
}

/** Fills a ledger, requests proofs from a running service, then runs the commands on it. */
export async function audit(
  server: BenchServer,
  { events, records }: { events: number; records: number },
  parentDir: string,
): Promise<AuditResult> {
  const folder = path.join(parentDir, 'audit')
  await mkdir(folder)
  const urls = await server.createDatabase(DATABASE)
  const ours = await openOurs(urls, { companies: [COMPANIES], records })
  const tenant = ours.tenants.get(COMPANIES)![0]!
  await fillLedger(ours, COMPANIES, events, records, { employeeIds: [], logIds: [] }, printProgress)
  await server.run('vacuum (analyze)', DATABASE)
  const proofs = await measureProofs(ours, tenant)
  await ours.stop()
  return {
    events: tenant.newest!.position,
    proofs,
    ...(await measureCommands(urls, tenant.companyId, folder, printProgress)),
  }
}

export function formatAudit(machine: Machine, { events, exportBytes, proofs, steps }: AuditResult): string {
  const rows = Object.entries(steps).map(([name, { seconds, peakMebibytes }]) => {
    return [`\`${name}\``, formatNumber(seconds), formatNumber(events / seconds), formatNumber(peakMebibytes)]
  })
  const facts = `A ledger of ${events} events; the export is ${formatNumber(exportBytes / 2 ** 20)} MiB.`
  const { coldMs, warmP50Ms, warmP99Ms, warmProofs } = proofs
  return [
    formatMachine(machine),
    facts,
    formatTable(['command', 'seconds', 'events/s', 'peak MiB'], rows),
    formatTable(
      ['one inclusion proof by HTTP', 'ms'],
      [
        ['cold: nothing was prepared', formatNumber(coldMs)],
        [`warm: median of ${warmProofs} from end to end`, formatNumber(warmP50Ms)],
        ['warm: 99th percentile', formatNumber(warmP99Ms)],
      ],
    ),
  ].join('\n\n')
}
