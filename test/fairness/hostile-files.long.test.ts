import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import t from 'tap'
import { FileQuestion, UNANSWERED } from '../../clients/typescript/spreadsheets/file-question.ts'
import type { Mapping } from '../../clients/typescript/spreadsheets/mapping.ts'
import { openFile } from '../../clients/typescript/send/open-file.ts'
import { hostileFiles } from '../support/files/hostile-files.ts'
import { hostileWorkbooks } from '../support/files/hostile-workbooks.ts'
import { watchEventLoop } from '../support/processes/event-loop-watchdog.ts'
import { startWatched } from './watched-files.ts'

/* Files of every hostile shape, as large as they may be: they keep nobody else waiting, and cost what their bytes cost. */

const SMALLER = 2 * 1_048_576
const MAX_WORK_MS = 250

await t.test('a hostile file that is uploaded through the API takes nobody else the event loop', async (t) => {
  const { upload } = await startWatched(t)
  for (const file of hostileFiles()) await t.test(file.name, (t) => upload(t, file, 'api'))
})

await t.test('a hostile workbook takes nobody else the event loop either', async (t) => {
  const { upload } = await startWatched(t)
  for (const file of hostileWorkbooks()) await t.test(file.name, (t) => upload(t, file, 'api'))
})

await t.test('a hostile file that is uploaded through the page takes nobody else the event loop', async (t) => {
  const { upload } = await startWatched(t)
  for (const file of hostileFiles(SMALLER)) await t.test(file.name, (t) => upload(t, file, 'page'))
})

await t.test('a hostile file that the client sends is read in short turns', async (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ledger-files-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const filePath = path.join(folder, 'staff')
  const watchdog = watchEventLoop()
  t.teardown(() => watchdog.stop())
  for (const { name, content } of hostileFiles(SMALLER)) {
    writeFileSync(filePath, content)
    await watchdog.read()
    const choose = (proposed: Mapping) => proposed
    const file = await openFile(filePath, choose, UNANSWERED, new AbortController().signal).catch(keepQuestion)
    const { longestWorkMs } = await watchdog.read()
    t.ok(longestWorkMs < MAX_WORK_MS, `${name}: ${longestWorkMs} ms of a turn`)
    if (file === null) continue
    // It is read in the same portions again. The test runner makes each record expensive, so that this is not measured.
    let count = 0
    if (file.faults.length === 0) for await (const _ of file.read()) count += 1
    await file.close()
    t.ok(file.faults.length > 0 || count === file.count, name)
  }
})

function keepQuestion(error: unknown): null {
  if (error instanceof FileQuestion) return null
  throw error
}
