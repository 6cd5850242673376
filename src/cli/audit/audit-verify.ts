import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { errorReason } from '#postgres/startup-error'
import {
  parseCheckpoints,
  type Checkpoint,
  makePolicy,
  parseWitnessKey,
  parseVerifierKey,
  type VerifierKey,
} from '#ledger/audit/signed-note'
import {
  verifyExport,
  type ConsistentLedger,
  type Evidence,
  type Verdict,
  splitLines,
} from '#ledger/audit/verify-export'
import { interruption } from '../terminal/interruption.ts'
import { USAGE_ERROR } from '../terminal/options.ts'
import { say } from '../terminal/print.ts'
import { showProgress, type Progress } from '../terminal/progress.ts'

const EXIT_CODES: Record<Verdict['verdict'], number> = { consistent: 0, invalid: 1, diverged: 3, unverifiable: 4 }

interface VerifyOptions {
  checkpoint: string[]
  key: string[]
  witness: string[]
  quorum?: number
}

/** `audit verify`: verifies an exported ledger from files alone: no settings, no database, no network. */
export async function verifyLedger(file: string, options: VerifyOptions) {
  const verdict = await verify(file, options)
  const { verdict: kind } = verdict
  process.exitCode = EXIT_CODES[kind]
  return say(verdict, `${verdict.verdict === 'consistent' ? formatConsistent(verdict) : formatFault(verdict)}\n`)
}

async function verify(file: string, { checkpoint, key, witness, quorum }: VerifyOptions): Promise<Verdict> {
  const keys = await readKeys('--key', key, parseVerifierKey)
  const policy = readPolicy(await readKeys('--witness', witness, parseWitnessKey), quorum)
  let reading = file
  try {
    const checkpoints: Checkpoint[][] = []
    for (reading of checkpoint) {
      const parsed = parseCheckpoints(await readFile(reading, 'utf8'))
      if (!parsed) throw new Error(NO_CHECKPOINTS)
      checkpoints.push(parsed)
    }
    reading = file
    return await verifyFile(file, { checkpoints: checkpoints.flat(), keys, policy })
  } catch (error) {
    interruption.throwIfAborted()
    // A damaged export cannot be distinguished from any other file.
    return { verdict: 'unverifiable', position: null, reason: `${reading} cannot be read: ${errorReason(error)}` }
  }
}

const NO_CHECKPOINTS =
  'it is not a file of checkpoints, which are signed notes: in the JSON of GET /audit/v1/checkpoint, that is `note`'

async function verifyFile(file: string, evidence: Evidence): Promise<Verdict> {
  const { size } = await stat(file)
  const progress = showProgress('verify (bytes)')
  progress.begin(size)
  const bytes = countBytes(createReadStream(file, { signal: interruption }), progress)
  try {
    return await verifyExport(splitLines(file.endsWith('.gz') ? gunzip(bytes) : bytes), evidence)
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

/** Reads verifier keys, given as such or as files with one key per line. Exits with USAGE_ERROR when one is neither. */
async function readKeys(
  option: '--key' | '--witness',
  values: readonly string[],
  parse: (text: string) => VerifierKey | null,
) {
  const keys = await Promise.all(
    values.map(async (value) => {
      const text = value.includes('+') ? value : await readFile(value, 'utf8').catch(() => '')
      const lines = text.split('\n').filter((line) => line !== '')
      const parsed = lines.map((line) => parse(line))
      if (parsed.length > 0 && !parsed.includes(null)) return parsed as VerifierKey[]
      return exitWrongUsage(`${option} ${value} is neither a verifier key nor a file of verifier keys`)
    }),
  )
  return keys.flat()
}

function readPolicy(witnesses: VerifierKey[], quorum?: number) {
  try {
    return makePolicy(witnesses, quorum)
  } catch (error) {
    return exitWrongUsage(`--witness or --quorum: ${(error as Error).message}`)
  }
}

function exitWrongUsage(message: string): never {
  process.stderr.write(`employee-ledger: ${message}\n`)
  process.exit(USAGE_ERROR)
}

function formatConsistent(ledger: ConsistentLedger) {
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
    witnessed_to: witnessedTo,
  } = ledger
  const cover =
    signedTo === events ? 'signed' : signedTo > 0 ? `signed to position ${signedTo} of ${events}` : 'unsigned'
  return [
    `consistent, ${cover}${witnessedTo === 0 ? '' : `, witnessed to position ${witnessedTo}`}`,
    `${company}: ${events} events, ${calls} calls; the data of ${erased} events is erased or retired`,
    ...(kept === 0 ? [] : [`this copy still has the data of ${kept} events that were erased after the export`]),
    `root ${root}`,
    checkpoints === 0
      ? 'without a checkpoint, verification cannot detect a truncated or rewritten ledger'
      : `${checkpoints} checkpoints match, the last one at position ${checkedTo}`,
    ...(signedTo === 0 && checkpoints > 0
      ? ['unsigned: no signature was checked; give the verifier key of the service with --key']
      : []),
  ].join('\n')
}

function formatFault({ verdict: kind, position, reason }: Exclude<Verdict, ConsistentLedger>) {
  return `${kind}${position === null ? '' : ` at position ${position}`}: ${reason}`
}
