import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { faultReason } from '../../postgres/fault-reason.ts'
import type { Checkpoint } from '../../ledger/audit/checkpoint-note.ts'
import { parseCheckpoints } from '../../ledger/audit/checkpoint-note.ts'
import { splitLines } from '../../ledger/audit/export-lines.ts'
import type { VerifierKey } from '../../ledger/audit/signed-note.ts'
import { parseVerifierKey } from '../../ledger/audit/signed-note.ts'
import type { ConsistentLedger, Verdict } from '../../ledger/audit/verify-export.ts'
import { verifyExport } from '../../ledger/audit/verify-export.ts'
import { interruption } from '../terminal/interruption.ts'
import { USAGE_ERROR } from '../terminal/options.ts'
import { print } from '../terminal/print.ts'
import type { Progress } from '../terminal/progress.ts'
import { showProgress } from '../terminal/progress.ts'

const EXIT_CODES: Record<Verdict['verdict'], number> = { consistent: 0, invalid: 1, diverged: 3, unverifiable: 4 }

interface VerifyOptions {
  checkpoint: string[]
  key: string[]
  json?: boolean
}

/** `audit verify`: verifies an exported ledger from files alone: no settings, no database, no network. */
export async function verifyLedger(file: string, options: VerifyOptions) {
  const verdict = await verify(file, options)
  const { verdict: kind } = verdict
  if (options.json) print({ ...verdict }, true)
  else process.stdout.write(`${verdict.verdict === 'consistent' ? formatConsistent(verdict) : formatFault(verdict)}\n`)
  process.exitCode = EXIT_CODES[kind]
}

async function verify(file: string, { checkpoint, key }: VerifyOptions): Promise<Verdict> {
  const keys = (await Promise.all(key.map(readKeys))).flat()
  let reading = file
  try {
    const checkpoints: Checkpoint[][] = []
    for (reading of checkpoint) {
      const parsed = parseCheckpoints(await readFile(reading, 'utf8'))
      if (!parsed) throw new Error(NO_CHECKPOINTS)
      checkpoints.push(parsed)
    }
    reading = file
    return await verifyFile(file, { checkpoints: checkpoints.flat(), keys })
  } catch (error) {
    interruption.throwIfAborted()
    // A damaged export cannot be distinguished from any other file.
    return { verdict: 'unverifiable', position: null, reason: `${reading} cannot be read: ${faultReason(error)}` }
  }
}

const NO_CHECKPOINTS =
  'it is not a file of checkpoints, which are signed notes: in the JSON of GET /audit/v1/checkpoint, that is `note`'

async function verifyFile(file: string, witness: { checkpoints: Checkpoint[]; keys: VerifierKey[] }): Promise<Verdict> {
  const { size } = await stat(file)
  const progress = showProgress('verify (bytes)', Math.max(1, size))
  const bytes = countBytes(createReadStream(file, { signal: interruption }), progress)
  try {
    return await verifyExport(splitLines(file.endsWith('.gz') ? gunzip(bytes) : bytes), witness)
  } finally {
    progress.finish()
  }
}

/** Decompresses. Errors of the source and of the decompression reach the reader. */
function gunzip(bytes: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  return pipeline(Readable.from(bytes, { objectMode: false }), createGunzip(), () => undefined)
}

async function* countBytes(chunks: AsyncIterable<Buffer>, progress: Progress): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    progress.advance(chunk.length)
    yield chunk
  }
}

/** Reads a verifier key, or a file with one key per line. Exits with USAGE_ERROR when it is neither. */
async function readKeys(given: string): Promise<VerifierKey[]> {
  const text = given.includes('+') ? given : await readFile(given, 'utf8').catch(() => '')
  const keys = text
    .split('\n')
    .filter((line) => line !== '')
    .map(parseVerifierKey)
  if (keys.length > 0 && !keys.includes(null)) return keys as VerifierKey[]
  process.stderr.write(`employee-ledger: --key ${given} is neither a verifier key nor a file of verifier keys\n`)
  process.exit(USAGE_ERROR)
}

function formatConsistent(ledger: ConsistentLedger): string {
  const {
    company_id: company,
    events,
    calls,
    erased,
    kept,
    root,
    checkpoints,
    checked_to: checkedTo,
    signed_to: signedTo,
  } = ledger
  const cover =
    signedTo === events ? 'signed' : signedTo > 0 ? `signed to position ${signedTo} of ${events}` : 'unsigned'
  return [
    `consistent, ${cover}`,
    `${company}: ${events} events, ${calls} calls; the data of ${erased} events is erased or retired`,
    ...(kept === 0 ? [] : [`this copy still has the data of ${kept} events that were erased after the export`]),
    `root ${root}`,
    checkpoints === 0
      ? 'without a checkpoint, verification cannot detect a truncated or rewritten ledger'
      : `${checkpoints} checkpoints match, the last one at position ${checkedTo}`,
  ].join('\n')
}

function formatFault({ verdict: kind, position, reason }: Exclude<Verdict, ConsistentLedger>): string {
  return `${kind}${position === null ? '' : ` at position ${position}`}: ${reason}`
}
