import { spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { PROJECTIONS } from '../../projections/index.ts'
import { expectStatus } from '../load/http-client.ts'
import type { MeasuredProcess } from '../processes/measured-process.ts'
import { measureProcess } from '../processes/measured-process.ts'
import type { Ours, OurTenant } from '../peers/ours-peer.ts'
import type { ServerUrls } from '../processes/postgres.ts'
import { percentile } from '../report/statistics.ts'

/* Measures the work of an auditor on a whole ledger, and inclusion proofs from the service. */

/** Latencies of inclusion proofs in milliseconds. */
interface ProofTimes {
  /** The first proof, for which the service computes the roots of all subtrees. */
  coldMs: number
  warmP50Ms: number
  warmP99Ms: number
  warmProofs: number
}

export interface AuditResult {
  events: number
  exportBytes: number
  proofs: ProofTimes
  /** By command. */
  steps: Record<string, MeasuredProcess>
}

const WARM_PROOFS = 200

/** Requests inclusion proofs from a running service, each for another event. */
export async function measureProofs(ours: Ours, tenant: OurTenant): Promise<ProofTimes> {
  const size = tenant.newest!.position
  const headers = { authorization: `Bearer ${tenant.adminToken}` }
  async function ask(position: number): Promise<number> {
    const started = performance.now()
    await expectStatus(
      ours.client,
      { method: 'GET', path: `/audit/v1/proofs/inclusion?position=${position}`, headers },
      200,
    )
    return performance.now() - started
  }
  const coldMs = await ask(Math.ceil(size / 2))
  const times: number[] = []
  for (let at = 0; at < WARM_PROOFS; at += 1) times.push(await ask(1 + Math.floor((at * (size - 1)) / WARM_PROOFS)))
  return { coldMs, warmP50Ms: percentile(times, 0.5), warmP99Ms: percentile(times, 0.99), warmProofs: times.length }
}

/** Runs the commands of an auditor and of an operator, each in its own process, on an idle ledger. */
export async function measureCommands(
  urls: ServerUrls,
  companyId: string,
  folder: string,
  onStep: (line: string) => void,
): Promise<Pick<AuditResult, 'steps' | 'exportBytes'>> {
  const file = path.join(folder, 'ledger.ndjson')
  const key = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }) as string
  const settings = {
    DATABASE_URL: urls.serviceUrl,
    MIGRATE_DATABASE_URL: urls.ownerUrl,
    DATA_DIR: folder,
    SIGNING_KEY: key,
  }
  const steps: Record<string, MeasuredProcess> = {}
  async function step(name: string, command: string, args: string[]): Promise<void> {
    steps[name] = await measureProcess(command, args, settings)
    onStep(`${name}: ${steps[name].seconds.toFixed(1)} s, ${steps[name].peakMebibytes.toFixed(0)} MiB`)
  }
  const program = (name: string, ...args: string[]) => step(name, process.execPath, ['src/main.ts', ...args])
  await program('audit export', 'audit', 'export', '--company', companyId, '--out', file)
  await program('audit verify', 'audit', 'verify', file, '--checkpoint', `${file}.checkpoint`)
  const evidence = path.join(folder, 'evidence.zip')
  await program('audit evidence', 'audit', 'evidence', '--company', companyId, '--out', evidence)
  const python = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' })
  if (python.status === 0) {
    await step('docs/verify_ledger.py', python.stdout.trim(), [
      'docs/verify_ledger.py',
      file,
      '--checkpoint',
      `${file}.checkpoint`,
    ])
    await step('docs/verify_ledger.py, evidence file', python.stdout.trim(), ['docs/verify_ledger.py', evidence])
  }
  for (const { name } of PROJECTIONS) await program(`projections rebuild ${name}`, 'projections', 'rebuild', name)
  return { steps, exportBytes: (await stat(file)).size }
}
