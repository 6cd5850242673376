import { FileError } from '../file-error.ts'
import { FileQuestion } from '../formats/file-question.ts'
import { createNotes } from '../tables/find-table.ts'
import { openContent } from '../formats/open-content.ts'
import type { FileRow } from '../tables/file-row.ts'
import type { JsonElement } from '../formats/split-json.ts'
import { TableWatcher } from './watch-table.ts'
import { MAX_PAYLOAD, writeFrame, type FrameKind, type Payloads, type ReadingTask } from './frames.ts'

/* A program that reads one file from its standard input, and writes what it holds to its standard output. */

/** The bytes of JSON that are sent at once. A longer row is sent alone. */
const PIECE = 65_536
const LF = 0x0a

try {
  const { task, content } = await receive()
  await read(task, content)
} catch (error) {
  if (error instanceof FileError) await say('fault', { line: error.fault.line, message: error.message })
  else if (error instanceof FileQuestion) {
    const { parameter, message, choices } = error
    await say('question', { parameter, message, choices })
  } else
    await say('failure', (error instanceof Error ? (error.stack ?? error.message) : String(error)).slice(0, PIECE / 8))
}
process.exit()

/** Receives the task and the file. The program ends when its input does: then nobody waits for it any more. */
function receive(): Promise<{ task: ReadingTask; content: Buffer }> {
  let head = Buffer.alloc(0)
  let task: ReadingTask | null = null
  let content = Buffer.alloc(0)
  let received = 0
  return new Promise((resolve) => {
    const take = (chunk: Buffer) => {
      received += chunk.copy(content, received)
      if (task && received === task.bytes) resolve({ task, content })
    }
    process.stdin.on('end', () => process.exit())
    process.stdin.on('data', (chunk: Buffer) => {
      if (task) return take(chunk)
      head = Buffer.concat([head, chunk])
      const end = head.indexOf(LF)
      if (end === -1) return
      task = JSON.parse(head.toString('utf8', 0, end)) as ReadingTask
      content = Buffer.allocUnsafe(task.bytes)
      take(head.subarray(end + 1))
    })
  })
}

async function read({ answers, maxUnpacked, country }: ReadingTask, bytes: Buffer): Promise<void> {
  const notes = createNotes()
  const content = await openContent(() => cut(bytes), answers, maxUnpacked)
  if (content.kind === 'records') {
    // Also if there are none.
    await say('records', [])
    await sayAll('records', content.read())
  } else {
    const watcher = new TableWatcher()
    await sayAll('rows', watcher.watch(content.read(notes)))
    const proposal = country === undefined ? null : watcher.propose(country)
    if (proposal) await sayProposal(JSON.stringify(proposal))
  }
  await say('end', notes)
}

async function sayProposal(json: string): Promise<void> {
  if (Buffer.byteLength(json) > MAX_PAYLOAD.proposal)
    throw new FileError(1, 'The columns have too many different words. Remove columns that nobody needs')
  await write('proposal', json)
}

async function* cut(bytes: Buffer): AsyncGenerator<Buffer, void> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE)
}

async function sayAll(
  kind: 'rows' | 'records',
  batches: AsyncIterable<readonly (FileRow | JsonElement)[]>,
): Promise<void> {
  let [texts, bytes]: [string[], number] = [[], 0]
  const flush = async () => {
    if (texts.length > 0) await write(kind, `[${texts.join(',')}]`)
    texts = []
    bytes = 0
  }
  for await (const items of batches)
    for (const item of items) {
      const text = JSON.stringify(item)
      const size = Buffer.byteLength(text) + 2
      if (size > MAX_PAYLOAD[kind])
        throw new FileError(item.line, `What begins on this line takes more than ${MAX_PAYLOAD[kind]} bytes as JSON`)
      if (bytes + size > PIECE) await flush()
      texts.push(text)
      bytes += size
    }
  await flush()
}

function say<Kind extends FrameKind>(kind: Kind, payload: Payloads[Kind]): Promise<void> {
  return write(kind, JSON.stringify(payload))
}

function write(kind: FrameKind, json: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(writeFrame(kind, json), (error) => (error ? reject(error) : resolve()))
  })
}
