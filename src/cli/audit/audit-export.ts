import { pipeline } from 'node:stream/promises'
import { createSigner } from '#bootstrap/keys'
import { StartupError } from '#postgres/startup-error'
import { ExportOvertakenError, exportPages, formatProofLine } from '#ledger/read/export-pages'
import { NoteFileError } from '#ledger/audit/note-files'
import { RefusedToSignError, NoSigningKeyError, explainRefusal } from '#ledger/audit/sign-checkpoint'
import { interruption } from '#cli/terminal/interruption'
import { showProgress } from '#cli/terminal/progress'
import { requireHead, withStore, type Opened } from '#cli/terminal/with-store'
import { readSettings } from '#cli/terminal/settings'
import { assertCreatable, writeFile } from '#cli/terminal/write-file'
import { createEvidenceServices } from '#bootstrap/evidence'
import { ErasedMeanwhileError, planEvidence, writeEvidence } from '#evidence/evidence-file'
import { NoEvidenceError, type EvidenceSubject } from '#ledger/evidence/evidence-subject'

interface ExportOptions {
  company: string
  out?: string
  after: number
}

/** The settings (for the signing key) and the database of an export. */
type ExportSource = Pick<Opened, 'config'> & { store: Pick<Opened['store'], 'db'> }

/** `audit export`: writes the ledger in the proof format, in constant memory, and a checkpoint of its end. */
export async function exportLedger(options: ExportOptions) {
  const { out } = options
  if (out !== undefined) assertCreatable(out, `${out}.checkpoint`)
  const message = await withStore((opened) => exportFrom(opened, options), readSettings())
  process.stdout.write(message)
}

/** Exports from an open database. Returns a message for the user. `pageEvents` limits the events of one query. */
export async function exportFrom(
  opened: ExportSource,
  { company, out, after, pageEvents }: ExportOptions & { pageEvents?: number },
): Promise<string> {
  let end = await findExportEnd(opened, company)
  if (after > end.upTo) throw new StartupError(`the ledger of ${company} ends at position ${end.upTo}`)
  const moveEnd = async () => {
    end = await findExportEnd(opened, company)
    return end.upTo
  }
  const lines = exportLines(
    exportPages(opened.store.db, company, { after, upTo: end.upTo, moveEnd, pageEvents }),
    end.upTo - after,
  )
  if (out === undefined) {
    await pipeline(lines, process.stdout, { signal: interruption, end: false })
    return ''
  }
  await writeFile(out, lines)
  const { note, upTo } = end
  if ('refusal' in note)
    throw new StartupError(`the events were written to ${out}, without a checkpoint. ${note.refusal}`)
  if ('text' in note) await writeFile(`${out}.checkpoint`, [note.text])
  const checkpoint = 'text' in note ? ` and their checkpoint to ${out}.checkpoint` : `; ${note.unsigned}`
  return `wrote events ${after + 1} to ${upTo} of ${company} to ${out}${checkpoint}\n`
}

type ExportNote = { text: string } | { unsigned: string } | { refusal: string }

/** Finds the position to export up to, with its checkpoint or the reason why there is none. */
async function findExportEnd(
  { config, store: { db } }: ExportSource,
  companyId: string,
): Promise<{ upTo: number; note: ExportNote }> {
  const signer = await createSigner(config)
  const { position } = await requireHead(db, companyId)
  try {
    const { size, note, witnessed } = await signer.sign(db, companyId)
    // Witnesses may not have seen the end yet.
    const earlier = witnessed && witnessed.checkpoint.size < size ? `${witnessed.note}\n` : ''
    return { upTo: size, note: { text: `${earlier}${note}` } }
  } catch (error) {
    if (error instanceof NoSigningKeyError)
      return { upTo: position, note: { unsigned: 'no checkpoint was written, because no signing key is set' } }
    if (error instanceof RefusedToSignError || error instanceof NoteFileError)
      return { upTo: position, note: { refusal: error.message } }
    throw error
  }
}

/** Yields the lines of the export. Progress leaves out events that were appended after the start. */
async function* exportLines(pages: ReturnType<typeof exportPages>, events: number): AsyncGenerator<string> {
  const progress = showProgress('export, events')
  progress.begin(events)
  try {
    for await (const page of pages) {
      yield page.map(formatProofLine).join('')
      progress.advance(page.length)
    }
  } catch (error) {
    throw error instanceof ExportOvertakenError ? new StartupError(error.message, { cause: error }) : error
  } finally {
    progress.finish()
  }
}

interface EvidenceOptions {
  company: string
  employee?: string
  call?: string
  from?: string
  to?: string
  out: string
}

/** `audit evidence`: writes an evidence file, in constant memory. Without a subject, it is about the whole ledger. */
export async function writeEvidenceFile(options: EvidenceOptions) {
  const { company, out } = options
  assertCreatable(out)
  return withStore(async ({ config, store }) => {
    await requireHead(store.db, company)
    const services = await createEvidenceServices(config, store)
    const progress = showProgress('evidence, events')
    try {
      const plan = await planEvidence(services, company, readSubject(options))
      progress.begin(plan.events)
      let reached = 0
      const onProgress = (read: number) => {
        progress.advance(read - reached)
        reached = read
      }
      await writeFile(out, writeEvidence(services, plan, onProgress))
      return { file: out, events: plan.events, ledger_size: plan.checkpoint.size }
    } catch (error) {
      throw explain(error)
    } finally {
      progress.finish()
    }
  })
}

function readSubject({ employee, call, from, to }: EvidenceOptions): EvidenceSubject {
  if (employee !== undefined) return { kind: 'employee', id: employee }
  if (call !== undefined) return { kind: 'call', id: call }
  return { kind: 'period', from: from ?? null, to: to ?? null }
}

function explain(error: unknown) {
  const isExplained = error instanceof NoEvidenceError || error instanceof ErasedMeanwhileError
  const reason = isExplained ? error.message : explainRefusal(error)
  return reason === null ? error : new StartupError(reason, { cause: error })
}
