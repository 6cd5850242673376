import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { hostileFiles } from '../support/files/hostile-files.ts'
import { hostileWorkbooks } from '../support/files/hostile-workbooks.ts'
import type { HostileRead } from './read-hostile-files.ts'
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
  const { stdout } = await promisify(execFile)(process.execPath, [
    'test/fairness/read-hostile-files.ts',
    String(SMALLER),
  ])
  const reads = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as HostileRead)
  t.not(reads.length, 0)
  for (const { name, longestWorkMs, isSame } of reads) {
    t.ok(longestWorkMs < MAX_WORK_MS, `${name}: ${longestWorkMs} ms of a turn`)
    t.ok(isSame, `${name} is read in the same portions again`)
  }
})
