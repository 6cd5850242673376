import { parentPort, workerData } from 'node:worker_threads'
import { checkArchive } from './check-archive.ts'
import { FileError } from './file-error.ts'
import { FileQuestion } from './file-question.ts'
import type { FileRow } from './read-csv.ts'
import type { OpenedSheet } from './read-workbook.ts'
import type { WorkbookMessage, WorkbookTask } from './workbook-rows.ts'

/* Reads a workbook in a thread of its own. Sends the next rows whenever it is asked for them. */

/** The cells of the rows in a message, about. Receiving them takes the event loop about a millisecond. */
const MAX_CELLS = 5_000

const { bytes, sheet } = workerData as WorkbookTask
const say = (message: WorkbookMessage) => parentPort!.postMessage(message, [])

try {
  const opened = await open()
  say({ kind: 'opened', others: opened.others })
  parentPort!.on('message', () => {
    try {
      say({ kind: 'rows', rows: takeRows(opened) })
    } catch (error) {
      sayWhatIsWrong(error)
    }
  })
} catch (error) {
  sayWhatIsWrong(error)
}

function sayWhatIsWrong(error: unknown): void {
  if (error instanceof FileError) say({ kind: 'fault', line: error.fault.line, message: error.message })
  else if (error instanceof FileQuestion)
    say({ kind: 'question', parameter: error.parameter, message: error.message, choices: error.choices })
  else throw error
}

/** Workbooks that are archives are looked at first. Only then is the reader loaded, which takes a while. */
async function open(): Promise<OpenedSheet> {
  const content = Buffer.from(bytes)
  if (content.toString('latin1', 0, 2) === 'PK') await checkArchive(content)
  const { openWorkbook } = await import('./read-workbook.ts')
  return openWorkbook(bytes, sheet)
}

/** Takes the next rows; none at the end. */
function takeRows({ rows }: OpenedSheet): FileRow[] {
  const taken: FileRow[] = []
  for (let cells = 0; cells < MAX_CELLS;) {
    const { done, value } = rows.next()
    if (done) break
    taken.push(value)
    cells += value.cells.length + 1
  }
  return taken
}
