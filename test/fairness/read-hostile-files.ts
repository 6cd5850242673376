import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { MarkUnknown } from '../../clients/typescript/send/absent-managers.ts'
import { openFile } from '../../clients/typescript/send/open-file.ts'
import { FileQuestion, UNANSWERED } from '../../src/spreadsheets/formats/file-question.ts'
import { hostileFiles } from '../support/files/hostile-files.ts'
import { watchEventLoop } from '../support/processes/event-loop-watchdog.ts'

/*
 * Reads hostile files of so many bytes as the client does, and prints a line of JSON for each. What takes a turn longer
 * than so many milliseconds is read once more: a file that is the cause takes as long again, and a collection of garbage
 * does not. In a process of its own, because a test runner makes each promise expensive.
 */

/** How a file was read. */
export interface HostileRead {
  name: string
  /** The most CPU time of a turn of the event loop, in milliseconds. */
  longestWorkMs: number
  /** Whether it has as many records the second time. */
  isSame: boolean
}

const folder = mkdtempSync(path.join(os.tmpdir(), 'ledger-files-'))
const filePath = path.join(folder, 'staff')
const watchdog = watchEventLoop()
const [bytes, longMs] = process.argv.slice(2).map(Number) as [number, number]
for (const { name, content } of hostileFiles(bytes)) {
  writeFileSync(filePath, content)
  let read = await readFile()
  if (read.longestWorkMs >= longMs) read = await readFile()
  process.stdout.write(`${JSON.stringify({ name, ...read } satisfies HostileRead)}\n`)
}
watchdog.stop()
rmSync(folder, { recursive: true })

async function readFile(): Promise<Omit<HostileRead, 'name'>> {
  await watchdog.read()
  const choices = { mapping: null, country: null, uses: new Map(), answers: [] }
  const mark: MarkUnknown = async (plan) => plan
  const file = await openFile(filePath, choices, UNANSWERED, mark, new AbortController().signal).catch(keepQuestion)
  let isSame = true
  if (file?.faults.length === 0) {
    let count = 0
    for await (const _ of file.read()) count += 1
    isSame = count === file.count
  }
  const { longestWorkMs } = await watchdog.read()
  await file?.close()
  return { longestWorkMs, isSame }
}

function keepQuestion(error: unknown): null {
  if (error instanceof FileQuestion) return null
  throw error
}
