import { Command } from 'commander'
import { seededRandom } from '../../../src/cli/demo/seeded-random.ts'
import type { Verdict } from '../../../src/ledger/audit/verify-export.ts'
import { countOption, seedOption } from '../command-line.ts'
import type { Case, Shown } from './both-verifiers.ts'
import { hasPython, shown, verifyHere, verifyInPython } from './both-verifiers.ts'
import { readFrozen } from './frozen-ledger.ts'
import { TAMPERINGS } from './tamperings.ts'

const RUNS_AT_MOST = 1_000_000

/** The results of many tamperings. */
interface TamperReport {
  runs: number
  /** How often each tampering got each verdict. */
  noticed: Map<string, Partial<Record<Verdict['verdict'], number>>>
  /** Tamperings not noticed, noticed at the wrong position, or judged differently by the second verifier. */
  faults: string[]
  /** How many the second verifier judged too. */
  judgedTwice: number
}

/** Tampers with a recorded ledger this many times, each kind in turn, and verifies the results. */
export async function tamper(runs: number, seed: number, inPython: boolean): Promise<TamperReport> {
  const { lines, checkpoints, publicKey } = readFrozen('1.0.0')
  const original = Buffer.from(lines.join(''))
  const random = seededRandom(seed)
  const kinds = Object.entries(TAMPERINGS)
  const report: TamperReport = { runs, noticed: new Map(), faults: [], judgedTwice: 0 }
  const verdicts: { name: string; verdict: Shown }[] = []

  async function* cases(): AsyncGenerator<Case> {
    for (let run = 0; run < runs; run += 1) {
      const [kind, make] = kinds[run % kinds.length]!
      const made = make(random, { lines, checkpoints })
      const tampered = {
        bytes: made.bytes,
        checkpoints: Buffer.from(made.checkpoints, kind.includes('checkpoint is flipped') ? 'latin1' : 'utf8'),
        publicKey,
      }
      const verdict = await verifyHere(tampered)
      const name = `run ${run}, ${kind}`
      if (tampered.bytes.equals(original) && made.checkpoints === checkpoints)
        report.faults.push(`${name}: nothing was changed`)
      if (verdict.verdict === 'consistent') report.faults.push(`${name}: not noticed`)
      else if (made.position !== undefined && made.position !== verdict.position)
        report.faults.push(`${name}: noticed at ${verdict.position} instead of ${made.position}`)
      const noticed = report.noticed.get(kind) ?? {}
      report.noticed.set(kind, { ...noticed, [verdict.verdict]: (noticed[verdict.verdict] ?? 0) + 1 })
      verdicts.push({ name, verdict: shown(verdict) })
      yield tampered
    }
  }

  const second = inPython ? await verifyInPython(cases()) : await drain(cases())
  report.judgedTwice = second.length
  for (const [at, there] of second.entries()) {
    const { name, verdict: here } = verdicts[at]!
    const isSame = here.verdict === there.verdict && here.position === there.position
    if (!isSame)
      report.faults.push(
        `${name}: ${here.verdict} at ${here.position} here, ${there.verdict} at ${there.position} there`,
      )
  }
  return report
}

async function drain(cases: AsyncIterable<Case>): Promise<Shown[]> {
  for await (const _ of cases) continue
  return []
}

if (import.meta.main) {
  const options = new Command('npm run tamper --')
    .description('Tamper with a recorded ledger, and check that both verifiers notice it (docs/audit-format.md).')
    .addOption(countOption('runs', RUNS_AT_MOST, 'how many tamperings, of each kind in turn').default(10_000))
    .addOption(seedOption('seed of the tamperings'))
    .parse()
    .opts<{ runs: number; seed: number }>()
  const inPython = hasPython()
  const { runs, noticed, faults, judgedTwice } = await tamper(options.runs, options.seed, inPython)
  for (const [kind, verdicts] of noticed) process.stdout.write(`${kind}: ${JSON.stringify(verdicts)}\n`)
  for (const fault of faults) process.stdout.write(`${fault}\n`)
  process.stdout.write(
    `${runs} tamperings, seed ${options.seed}: ${faults.length} faults; ${judgedTwice} were judged by the second verifier too\n`,
  )
  if (!inPython) process.stdout.write('there is no python3 here: the second verifier did not run\n')
  process.exitCode = faults.length === 0 ? 0 : 1
}
