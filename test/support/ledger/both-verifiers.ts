import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { isUtf8 } from 'node:buffer'
import { parseCheckpoints, parseVerifierKey } from '../../../src/ledger/audit/signed-note.ts'
import { type Verdict, verifyExport, splitLines } from '../../../src/ledger/audit/verify-export.ts'

/** An export to verify, with the bytes of its file of checkpoints, if any. */
export interface Case {
  bytes: Buffer
  checkpoints: Buffer | null
  publicKey: string
}

/** What both verifiers must agree on. */
export interface Shown {
  verdict: Verdict['verdict']
  position: number | null
}

/** The verdict of this program. */
export async function verifyHere({ bytes, checkpoints, publicKey }: Case): Promise<Verdict> {
  const isText = checkpoints !== null && isUtf8(checkpoints)
  const known = isText ? parseCheckpoints(checkpoints.toString()) : null
  if (!known && checkpoints !== null)
    return { verdict: 'unverifiable', position: null, reason: 'the checkpoints cannot be read' }
  const keys = [parseVerifierKey(publicKey)!]
  return verifyExport(splitLines(chunksOf(bytes)), { checkpoints: known ?? [], keys })
}

/** Yields pieces, as from a file. */
async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 10_000) yield bytes.subarray(at, at + 10_000)
}

export function shown(verdict: Verdict): Shown {
  return { verdict: verdict.verdict, position: verdict.verdict === 'consistent' ? null : verdict.position }
}

let isPythonThere: boolean | undefined

/** Whether python3 is installed. */
export function hasPython(): boolean {
  return (isPythonThere ??= spawnSync('python3', ['--version']).status === 0)
}

/** The verdicts of the second verifier, in the order of the cases. */
export async function verifyInPython(cases: AsyncIterable<Case> | Iterable<Case>): Promise<Shown[]> {
  const python = spawn('python3', ['test/support/ledger/second-verifier.py'], { stdio: ['pipe', 'pipe', 'inherit'] })
  const verdicts: Shown[] = []
  const lines = createInterface({ input: python.stdout })
  lines.on('line', (line) => {
    const [verdict, position] = JSON.parse(line) as [Shown['verdict'], number | null]
    verdicts.push({ verdict, position })
  })
  const closed = once(lines, 'close')
  for await (const { bytes, checkpoints, publicKey } of cases) {
    const task = {
      export: bytes.toString('base64'),
      checkpoints: checkpoints?.toString('base64') ?? null,
      keys: [publicKey],
    }
    if (!python.stdin.write(`${JSON.stringify(task)}\n`)) await once(python.stdin, 'drain')
  }
  python.stdin.end()
  await closed
  return verdicts
}
