import { open, readdir, type FileHandle } from 'node:fs/promises'
import path from 'node:path'
import { errorReason } from '#postgres/startup-error'
import { formatOrigin, parseCheckpoints, type Checkpoint } from './signed-note.ts'
import { syncFolder } from '#files/durable-file'

/** An upper bound for the size of a note. */
const MAX_NOTE_BYTES = 4096
const NOTES = '.notes'

/** A note file that is damaged or cannot be accessed. The message is for the operator. */
export class NoteFileError extends Error {
  override name = 'NoteFileError'
}

/**
 * Checkpoints kept outside the database: one file per company, to which notes are appended, each followed by an empty
 * line.
 */
export interface NoteFiles {
  /** The ids of all companies that have notes. */
  companies(): Promise<string[]>
  /** The last complete note of a company; null if there is none. A note that a crash cut off is ignored. */
  last(companyId: string): Promise<Checkpoint | null>
  /** Appends a note and syncs it to disk. Only one process at a time may do this. */
  append(companyId: string, note: string): Promise<void>
}

/** Opens the note files in a folder; `makeFolder` creates it when the first note is written. */
export function createNoteFiles(folder: string, makeFolder: (folder: string) => Promise<void>): NoteFiles {
  const notesOf = (companyId: string) => path.join(folder, companyId + NOTES)
  return {
    async companies() {
      const names = await unlessMissing(() => readdir(folder), `${folder} cannot be read`)
      return (names ?? []).filter((name) => name.endsWith(NOTES)).map((name) => name.slice(0, -NOTES.length))
    },

    async last(companyId) {
      const file = notesOf(companyId)
      return unlessMissing(() => readLast(file, formatOrigin(companyId)), `${file} cannot be read`)
    },

    async append(companyId, note) {
      const file = notesOf(companyId)
      try {
        await makeFolder(folder)
        const isNew = await appendTo(file, `${note}\n`, formatOrigin(companyId))
        if (isNew) await syncFolder(folder)
      } catch (error) {
        throw fileError(error, `${file} cannot be written`)
      }
    },
  }
}

/** Runs a task on a file; null if the file does not exist. */
async function unlessMissing<Result>(task: () => Promise<Result>, fault: string) {
  try {
    return await task()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw fileError(error, fault)
  }
}

function fileError(error: unknown, fault: string): Error {
  if (error instanceof NoteFileError) return error
  return new NoteFileError(`${fault}: ${errorReason(error)}`, { cause: error })
}

async function readLast(file: string, origin: string) {
  const handle = await open(file, 'r')
  try {
    return lastNote(await readTail(handle), origin, file).checkpoint
  } finally {
    await handle.close()
  }
}

/** Appends in one write, after truncating what a crash left of an earlier note. Returns whether the file is new. */
async function appendTo(file: string, record: string, origin: string) {
  const handle = await open(file, 'a+')
  try {
    const tail = await readTail(handle)
    const end = tail.size - lastNote(tail, origin, file).tornBytes
    if (end < tail.size) await handle.truncate(end)
    try {
      await handle.writeFile(record)
    } catch (error) {
      // A full disk may have taken part of the record.
      await handle.truncate(end).catch(() => undefined)
      throw error
    }
    await handle.sync()
    return tail.size === 0
  } finally {
    await handle.close()
  }
}

interface Tail {
  size: number
  bytes: Buffer
}

async function readTail(handle: FileHandle): Promise<Tail> {
  const { size } = await handle.stat()
  const length = Math.min(size, 2 * MAX_NOTE_BYTES)
  const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(length), position: size - length })
  return { size: size - length + bytesRead, bytes: buffer.subarray(0, bytesRead) }
}

/** Finds the last complete note in a file, and the number of bytes of an incomplete one after it. */
function lastNote({ size, bytes }: Tail, origin: string, file: string) {
  const text = bytes.toString('latin1')
  const wholeNotes = /(?<=^|\n\n)(?:[^\n]+\n){3,}\n(?:\xe2\x80\x94 [^\n]+\n)+\n/g
  let [note, end]: [string | null, number] = [null, 0]
  for (const match of text.matchAll(wholeNotes)) [note, end] = [match[0], match.index + match[0].length]
  const torn = text.slice(end).replace(/\0+$/, '')
  const isTorn = `${origin}\n`.startsWith(torn) || torn.startsWith(`${origin}\n`)
  const isWhole = note !== null || size <= MAX_NOTE_BYTES
  const [checkpoint] = (note === null ? null : parseCheckpoints(Buffer.from(note, 'latin1').toString())) ?? []
  if (!isTorn || !isWhole || torn.length > MAX_NOTE_BYTES || (note !== null && checkpoint?.origin !== origin)) {
    throw new NoteFileError(`${file} does not end with a checkpoint of its company: it was damaged or changed`)
  }
  return { checkpoint: checkpoint ?? null, tornBytes: text.length - end }
}
