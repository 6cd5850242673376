import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { openFile } from '../../clients/typescript/send/open-file.ts'
import { FileQuestion, UNANSWERED } from '../../clients/typescript/spreadsheets/file-question.ts'
import { hostileFiles } from '../support/files/hostile-files.ts'
import { watchEventLoop } from '../support/processes/event-loop-watchdog.ts'

/*
 * Reads hostile files of so many bytes as the client does, and prints a line of JSON for each. In a process of its own,
 * because a test runner makes each promise expensive.
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
for (const { name, content } of hostileFiles(Number(process.argv[2]))) {
  writeFileSync(filePath, content)
  await watchdog.read()
  const file = await openFile(filePath, (proposed) => proposed, UNANSWERED, new AbortController().signal).catch(
    keepQuestion,
  )
  let isSame = true
  if (file?.faults.length === 0) {
    let count = 0
    for await (const _ of file.read()) count += 1
    isSame = count === file.count
  }
  const { longestWorkMs } = await watchdog.read()
  await file?.close()
  process.stdout.write(`${JSON.stringify({ name, longestWorkMs, isSame } satisfies HostileRead)}\n`)
}
watchdog.stop()
rmSync(folder, { recursive: true })

function keepQuestion(error: unknown): null {
  if (error instanceof FileQuestion) return null
  throw error
}
