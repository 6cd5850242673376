import { createHash } from 'node:crypto'
import type { Pool } from 'pg'
import { inTurns } from '#admission/turns'
import { readCompany } from '#accounts/companies/companies'
import { deriveEnvelope, type StoredEvent } from '#ledger/integrity/codec'
import { leafHash } from '#ledger/integrity/merkle'
import type { CheckpointSigner, SignedCheckpoint } from '#ledger/audit/sign-checkpoint'
import { assertNoGap, hasErasure, MissingEventError, formatProofLine } from '#ledger/read/export-pages'
import { readNamesKept } from '#ledger/read/read-names'
import { readHead } from '#ledger/read/read-head'
import { storedEventPages, type PositionRange } from '#ledger/read/read-events'
import type { LedgerDb } from '#ledger/tables'
import type { EvidenceSubject } from '#ledger/evidence/evidence-subject'
import { countPositions, selectEvents } from './select-events.ts'
import { addSum, prepareProof, proofPages } from '#ledger/evidence/shared-proof'
import { zip, type ZipEntry } from './zip.ts'
import { readFileSync } from 'node:fs'

/** The version of the form of evidence files, which docs/audit-format.md specifies. */
const FORMAT = 'employee-ledger evidence 1'
/** The most events that the readable page tells; all are in the file of events. */
export const EVENTS_TOLD = 10_000
/** About how many characters of events are written at once. One event may have several times as many. */
const CHARACTERS_AT_ONCE = 65_536

/** What an evidence file says about itself beside its events. */
export interface EvidenceFacts {
  company: { id: string; name: string; timeZone: string }
  subject: EvidenceSubject
  /** The current name of the employee that it is about; absent for all else, and for an erased one. */
  subjectName: string | undefined
  /** The number of events in the file. */
  events: number
  checkpoint: Pick<SignedCheckpoint, 'size' | 'root' | 'note' | 'publicKey'>
  /** The database's time shortly before the checkpoint was signed, RFC 3339 UTC. */
  signedAt: string
}

/** An event of the readable page. */
interface ToldEvent {
  event: StoredEvent
  leaf: Buffer
}

/** Writes the readable page of an evidence file. */
export interface Storyteller {
  /** Renders events as rows, in order. */
  renderRows(db: LedgerDb, company: EvidenceFacts['company'], events: readonly ToldEvent[]): Promise<string>
  /** Renders the page around the rows of the first `told` events, in parts. */
  renderPage(facts: EvidenceFacts, rows: readonly string[], told: number): Promise<string[]>
}

export interface EvidenceServices {
  db: LedgerDb
  pool: Pool
  signer: CheckpointSigner
  storyteller: Storyteller
}

/** What goes into an evidence file. */
export interface PlannedEvidence extends EvidenceFacts {
  ranges: PositionRange[]
}

/** The data of an event were erased while its file was made. Making it again works. */
export class ErasedMeanwhileError extends Error {
  override name = 'ErasedMeanwhileError'
}

/**
 * Signs a checkpoint and selects the events of an evidence file from the ledger up to it. Throws NoEvidenceError, and
 * what `CheckpointSigner.sign` throws.
 */
export async function planEvidence(
  { db, pool, signer }: Omit<EvidenceServices, 'storyteller'>,
  companyId: string,
  subject: EvidenceSubject,
): Promise<PlannedEvidence> {
  const { now: signedAt } = await readHead(db, companyId)
  const checkpoint = await signer.sign(db, companyId)
  const { name, timeZone } = await readCompany(db, companyId)
  const ranges = await selectEvents({ db, pool }, companyId, subject, checkpoint.size)
  const company = { id: companyId, name, timeZone }
  const names = await readNamesKept(db, companyId, subject.kind === 'employee' ? [subject.id] : [])
  const subjectName = subject.kind === 'employee' ? names.get(subject.id) : undefined
  return { company, subject, subjectName, events: countPositions(ranges), checkpoint, signedAt, ranges }
}

/**
 * Makes an evidence file: a zip with the events, a proof that they are in the ledger of the checkpoint, a verifier, and
 * a readable page, in bounded memory. The same plan always gives the same bytes. `onProgress` is called with the number
 * of events read. Throws ErasedMeanwhileError if data were erased since the checkpoint was signed.
 */
export async function* writeEvidence(
  { db, storyteller }: Pick<EvidenceServices, 'db' | 'storyteller'>,
  plan: PlannedEvidence,
  onProgress: (events: number) => void = () => undefined,
): AsyncGenerator<Buffer> {
  await prepareProof(db, plan.company.id, plan.checkpoint)
  yield* zip(listFiles({ db, storyteller }, plan, onProgress))
}

async function* listFiles(
  { db, storyteller }: Pick<EvidenceServices, 'db' | 'storyteller'>,
  plan: PlannedEvidence,
  onProgress: (events: number) => void,
): AsyncGenerator<ZipEntry> {
  const { company, ranges, checkpoint } = plan
  const files: { name: string; bytes: number; sha256: string }[] = []
  const rows: string[] = []
  let toldEvents = 0
  /** Counts and hashes a file for the manifest as it is read. */
  async function* listed(name: string, content: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
    const hash = createHash('sha256')
    let bytes = 0
    for await (const text of content) {
      hash.update(text)
      bytes += Buffer.byteLength(text)
      yield text
    }
    files.push({ name, bytes, sha256: hash.digest('hex') })
  }
  async function* eventLines(): AsyncGenerator<string> {
    let read = 0
    for await (const page of eventPages(db, company.id, ranges)) {
      const toTell: ToldEvent[] = []
      let text = ''
      for await (const event of inTurns(page)) {
        if (toldEvents + toTell.length < EVENTS_TOLD) toTell.push({ event, leaf: leafHash(deriveEnvelope(event)) })
        text += formatProofLine(event)
        if (text.length < CHARACTERS_AT_ONCE) continue
        yield text
        text = ''
      }
      if (text !== '') yield text
      if (toTell.length > 0) rows.push(await storyteller.renderRows(db, company, toTell))
      toldEvents += toTell.length
      read += page.length
      onProgress(read)
    }
    // The data are read: what is erased from now on was still there.
    const { position: head } = await readHead(db, company.id)
    if (await hasErasure(db, company.id, { after: checkpoint.size, upTo: head }))
      throw new ErasedMeanwhileError('data were erased while the evidence file was made; make it again')
  }
  async function* story(): AsyncGenerator<string> {
    yield* await storyteller.renderPage(plan, rows, toldEvents)
  }
  const contents: Record<string, AsyncIterable<string> | Iterable<string>> = {
    'events.ndjson': eventLines(),
    'proof.ndjson': proofPages(db, company.id, ranges, checkpoint),
    'checkpoint.txt': [checkpoint.note],
    'key.txt': [`${checkpoint.publicKey}\n`],
    'verify.py': [DOCUMENTS['docs/verify_ledger.py']],
    'READ-ME.html': story(),
  }
  for (const [name, content] of Object.entries(contents)) yield { name, content: listed(name, content) }
  yield { name: 'manifest.json', content: [formatManifest(plan, files)] }
}

function formatManifest(plan: PlannedEvidence, files: readonly { name: string; bytes: number; sha256: string }[]) {
  const { company, subject, events, checkpoint, signedAt } = plan
  const manifest = {
    format: FORMAT,
    company: { id: company.id, name: company.name },
    subject,
    events,
    signed_at: signedAt,
    key: checkpoint.publicKey,
    files,
  }
  return `${addSum(JSON.stringify(manifest, null, 2))}\n`
}

/** The events at these positions, page by page. Throws MissingEventError. */
async function* eventPages(
  db: LedgerDb,
  companyId: string,
  ranges: readonly PositionRange[],
): AsyncGenerator<StoredEvent[]> {
  for (const { first, last } of ranges) {
    let reached = first - 1
    for await (const page of storedEventPages(db, companyId, { after: reached, upTo: last })) {
      assertNoGap(page, reached, companyId)
      reached = page.at(-1)!.position
      yield page
    }
    if (reached < last) throw new MissingEventError(reached + 1, companyId)
  }
}

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')

/** The files of `docs` that the service hands out. They are read at the start: later, a folder can have another version. */
export const DOCUMENTS = {
  'docs/verify_ledger.py': read('docs/verify_ledger.py'),
  'docs/verify_ledger.go': read('docs/verify_ledger.go'),
  'docs/audit-format.md': read('docs/audit-format.md'),
}
