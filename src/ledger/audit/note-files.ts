import type { FileHandle } from 'node:fs/promises'
import { open, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Checkpoint } from './checkpoint-note.ts'
import { originOf, parseCheckpoints } from './checkpoint-note.ts'
import { syncFolder } from './durable-file.ts'
import type { Frontier } from '../integrity/merkle.ts'
import { packFrontier, unpackFrontier } from '../integrity/merkle.ts'

/** No note of ours has as many bytes. */
const MAX_NOTE_BYTES = 4096
const NOTES = '.notes'

/** A file of notes that is not what was written to it, or cannot be read; the message is for the operator. */
export class NoteFileError extends Error {
  override name = 'NoteFileError'
}

/**
 * The checkpoints that are kept outside the database: a file for each company, to which notes are appended, an empty
 * line behind each. Beside it lies the frontier of the last one, which only saves work: it is believed when its root
 * is that of the note.
 */
export interface NoteFiles {
  /** The ids of all companies that have notes. */
  companies(): Promise<string[]>
  /** The last note of a company; null when there is none. One that a crash cut off does not count. */
  last(companyId: string): Promise<Checkpoint | null>
  /** Appends a note, and waits until it is on the disk. One process at a time may do this. */
  append(companyId: string, note: string): Promise<void>
  /** A frontier of this size that was kept; null when there is none. Nobody vouches for it. */
  frontier(companyId: string, size: number): Promise<Frontier | null>
  keepFrontier(companyId: string, frontier: Frontier): Promise<void>
}

/** The files in a folder; `makeFolder` makes it when the first note is written. */
export function openNoteFiles(folder: string, makeFolder: (folder: string) => Promise<void>): NoteFiles {
  const notesOf = (companyId: string) => path.join(folder, companyId + NOTES)
  const frontierOf = (companyId: string) => path.join(folder, `${companyId}.frontier`)
  return {
    async companies() {
      const names = await unlessMissing(() => readdir(folder), `${folder} cannot be read`)
      return (names ?? []).filter((name) => name.endsWith(NOTES)).map((name) => name.slice(0, -NOTES.length))
    },

    async last(companyId) {
      const file = notesOf(companyId)
      return unlessMissing(() => readLast(file, originOf(companyId)), `${file} cannot be read`)
    },

    async append(companyId, note) {
      const file = notesOf(companyId)
      try {
        await makeFolder(folder)
        const isNew = await appendTo(file, `${note}\n`, originOf(companyId))
        if (isNew) await syncFolder(folder)
      } catch (error) {
        throw fileError(error, `${file} cannot be written`)
      }
    },

    async frontier(companyId, size) {
      const packed = await readFile(frontierOf(companyId), 'utf8').catch(() => '')
      try {
        return packed === '' ? null : unpackFrontier(size, Buffer.from(packed, 'hex'))
      } catch {
        return null
      }
    },

    async keepFrontier(companyId, frontier) {
      const beside = `${frontierOf(companyId)}.part`
      await writeFile(beside, packFrontier(frontier).toString('hex'))
      await rename(beside, frontierOf(companyId))
    },
  }
}

/** The result of a task on a file; null when there is no such file. */
async function unlessMissing<Result>(task: () => Promise<Result>, fault: string): Promise<Result | null> {
  try {
    return await task()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw fileError(error, fault)
  }
}

function fileError(error: unknown, fault: string): Error {
  if (error instanceof NoteFileError) return error
  return new NoteFileError(`${fault}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
}

async function readLast(file: string, origin: string): Promise<Checkpoint | null> {
  const handle = await open(file, 'r')
  try {
    return lastNote(await readTail(handle), origin, file).checkpoint
  } finally {
    await handle.close()
  }
}

/** Appends in one write; cuts off first what an earlier crash left of a note. Tells whether the file is new. */
async function appendTo(file: string, record: string, origin: string): Promise<boolean> {
  const handle = await open(file, 'a+')
  try {
    const tail = await readTail(handle)
    const end = tail.size - lastNote(tail, origin, file).tornBytes
    if (end < tail.size) await handle.truncate(end)
    try {
      await handle.writeFile(record)
    } catch (error) {
      // A full disk may have taken part of it.
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

/** The last whole note at the end of a file, and how many bytes stand behind it that a crash left of another one. */
function lastNote(
  { size, bytes }: Tail,
  origin: string,
  file: string,
): { checkpoint: Checkpoint | null; tornBytes: number } {
  const text = bytes.toString('latin1')
  const whole = /(?<=^|\n\n)(?:[^\n]+\n){3,}\n(?:\xe2\x80\x94 [^\n]+\n)+\n/g
  let [note, end]: [string | null, number] = [null, 0]
  for (const found of text.matchAll(whole)) [note, end] = [found[0], found.index + found[0].length]
  const torn = text.slice(end).replace(/\0+$/, '')
  const isTorn = `${origin}\n`.startsWith(torn) || torn.startsWith(`${origin}\n`)
  const isWhole = note !== null || size <= MAX_NOTE_BYTES
  const [checkpoint] = (note === null ? null : parseCheckpoints(Buffer.from(note, 'latin1').toString())) ?? []
  if (!isTorn || !isWhole || torn.length > MAX_NOTE_BYTES || (note !== null && checkpoint?.origin !== origin)) {
    throw new NoteFileError(`${file} does not end with a checkpoint of its company: it was damaged or changed`)
  }
  return { checkpoint: checkpoint ?? null, tornBytes: text.length - end }
}
