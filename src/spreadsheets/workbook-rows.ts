import { on } from 'node:events'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { FileError } from './file-error.ts'
import type { FileChoice, FileParameter } from './file-question.ts'
import { FileQuestion } from './file-question.ts'
import type { TableNotes } from './find-table.ts'
import { leaveOut } from './find-table.ts'
import type { FileRow } from './read-csv.ts'

/** What the thread is to read. */
export interface WorkbookTask {
  bytes: Uint8Array
  /** The name of the sheet; null to find it. */
  sheet: string | null
}

/** What the thread says: first what became of the workbook, then rows whenever it is asked; none at the end. */
export type WorkbookMessage =
  | { kind: 'opened'; others: string[] }
  | { kind: 'rows'; rows: FileRow[] }
  | { kind: 'fault'; line: number; message: string }
  | { kind: 'question'; parameter: FileParameter; message: string; choices: readonly FileChoice[] }

/**
 * What a workbook may take: megabytes of memory, and milliseconds. 50,000 rows of 20 cells take 5 s on an idle
 * processor.
 */
const MAX_HEAP_MIB = 512
const MAX_YOUNG_MIB = 32
const MAX_MS = 60_000

/**
 * Reads the rows of a workbook, in a thread of its own that ends with the generator, after a minute, and when the
 * signal is aborted. Notes the sheets that are left out. Throws FileError, FileQuestion, or the reason of the signal.
 */
export async function* readWorkbookRows(
  task: WorkbookTask,
  notes: TableNotes,
  signal?: AbortSignal,
): AsyncGenerator<FileRow[], void> {
  signal?.throwIfAborted()
  const limit = AbortSignal.timeout(MAX_MS)
  // As a program that was built, this file and the other one end with .js.
  const program = new URL(`./workbook-worker${extname(import.meta.url)}`, import.meta.url)
  const worker = new Worker(program, {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB, maxYoungGenerationSizeMb: MAX_YOUNG_MIB },
    // The reader writes warnings about formats that it doesn't know.
    stdout: true,
    stderr: true,
    execArgv: [],
    env: {},
  })
  try {
    const messages = on(worker, 'message', {
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
      close: ['exit'],
    }) as AsyncIterable<[WorkbookMessage]>
    for await (const [message] of messages) {
      if (message.kind === 'fault') throw new FileError(message.line, message.message)
      if (message.kind === 'question') throw new FileQuestion(message.parameter, message.message, message.choices)
      if (message.kind === 'opened')
        for (const name of message.others) leaveOut(notes, 'other_sheet', null, null, `Sheet "${name}" is not read`)
      else if (message.rows.length === 0) return
      else yield message.rows
      worker.postMessage('next', [])
    }
    throw new FileError(1, TOO_LARGE)
  } catch (error) {
    signal?.throwIfAborted()
    const isTooLarge = limit.aborted || (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'
    throw isTooLarge ? new FileError(1, TOO_LARGE) : error
  } finally {
    await worker.terminate()
  }
}

const TOO_LARGE = 'The workbook takes too much time or memory to read. Save its sheet as CSV (UTF-8)'
