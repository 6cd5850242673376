import { createWriteStream } from 'node:fs'
import { access, open, rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { openSigner } from '../bootstrap.ts'
import { faultReason } from '../database/fault-reason.ts'
import { StartupError } from '../database/startup-error.ts'
import { toUuid } from '../domain/ids.ts'
import { readProofPages } from '../ledger/read-proof.ts'
import { NoteFileError } from '../ledger/note-files.ts'
import { NoSigningKeyError, RefusedToSignError } from '../ledger/sign-checkpoint.ts'
import { interruption } from './interruption.ts'
import { showProgress } from './progress.ts'
import { readSettings } from './settings.ts'
import type { Opened } from './with-store.ts'
import { withStore } from './with-store.ts'

interface ExportOptions {
  company: string
  out?: string
  after: number
}

/** `audit export`: the lines of the proof format up to the head, in constant memory, and a checkpoint of that head. */
export async function exportLedger({ company, out, after }: ExportOptions) {
  const config = readSettings()
  if (out !== undefined) await assertFree(out)
  const said = await withStore(async (opened) => {
    const { note, upTo } = await findEnd(opened, company)
    if (after > upTo) throw new StartupError(`the ledger of ${company} ends at position ${upTo}`)
    const lines = linesWithProgress(opened, company, { after, upTo })
    if (out === undefined) await pipeline(lines, process.stdout, { signal: interruption, end: false })
    else await writeFile(out, lines)
    if (out === undefined) return ''
    if ('text' in note) await writeFile(`${out}.checkpoint`, [note.text])
    const beside = 'text' in note ? `, its checkpoint to ${out}.checkpoint` : ''
    if ('refusal' in note) throw new StartupError(`the events are in ${out}, but no checkpoint: ${note.refusal}`)
    return `events ${after + 1} to ${upTo} of ${company} are written to ${out}${beside}${'unsigned' in note ? `; ${note.unsigned}` : ''}\n`
  }, config)
  process.stdout.write(said)
}

type NoteOfExport = { text: string } | { unsigned: string } | { refusal: string }

/** The head to export up to, with its checkpoint or why there is none. */
async function findEnd({ config, store: { db } }: Opened, companyId: string): Promise<{ upTo: number; note: NoteOfExport }> {
  const signer = await openSigner(config)
  try {
    const { size, note } = await signer.sign(db, companyId)
    if (size === 0) throw new StartupError(`there is no company ${companyId}`)
    return { upTo: size, note: { text: note } }
  } catch (error) {
    const unsigned = 'no signing key is set, so there is no checkpoint'
    if (error instanceof NoSigningKeyError) return { upTo: await headOf(db, companyId), note: { unsigned } }
    const isRefused = error instanceof RefusedToSignError || error instanceof NoteFileError
    if (isRefused) return { upTo: await headOf(db, companyId), note: { refusal: error.message } }
    throw error
  }
}

async function headOf(db: Opened['store']['db'], companyId: string): Promise<number> {
  const head = await db.selectFrom('heads').select('position').where('company_id', '=', toUuid(companyId)).executeTakeFirst()
  if (!head) throw new StartupError(`there is no company ${companyId}`)
  return head.position
}

async function* linesWithProgress({ store: { db } }: Opened, companyId: string, range: { after: number; upTo: number }) {
  const progress = showProgress('export', range.upTo - range.after)
  try {
    for await (const { lines, events } of readProofPages(db, companyId, range)) {
      yield lines
      progress.advance(events)
    }
  } finally {
    progress.finish()
  }
}

async function assertFree(file: string): Promise<void> {
  for (const name of [file, `${file}.checkpoint`]) {
    const isTaken = await access(name).then(
      () => true,
      () => false,
    )
    if (isTaken) throw new StartupError(`${name} exists: an export never overwrites another`)
  }
}

/** Written beside, and renamed when all of it is on the disk: a file under its name is whole. */
async function writeFile(file: string, lines: AsyncIterable<string> | string[]): Promise<void> {
  const beside = `${file}.part`
  try {
    const target = createWriteStream(beside)
    const source = Readable.from(lines, { objectMode: false })
    if (file.endsWith('.gz')) await pipeline(source, createGzip(), target, { signal: interruption })
    else await pipeline(source, target, { signal: interruption })
    await syncFile(beside)
    await rename(beside, file)
  } catch (error) {
    await rm(beside, { force: true })
    interruption.throwIfAborted()
    if (error instanceof Error && 'syscall' in error) throw new StartupError(`${file} cannot be written: ${faultReason(error)}`)
    throw error
  }
}

async function syncFile(file: string): Promise<void> {
  const handle = await open(file, 'r+')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
