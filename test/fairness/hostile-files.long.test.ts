import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { hostileFiles, MOST_ROWS, ordinaryFile } from '../support/files/hostile-files.ts'
import { hostileWorkbooks, ordinaryWorkbook } from '../support/files/hostile-workbooks.ts'
import { inputs, isQuick } from '../support/quick.ts'
import type { HostileRead } from './read-hostile-files.ts'
import { MAX_WORK_MS, startWatched } from './watched-files.ts'

/* Files of every hostile shape: they keep nobody else waiting, and cost what their bytes cost. */

const MIB = 1_048_576
/** A JSON file is as large as it may be. A CSV file of 16 times as many bytes takes 16 times as many turns. */
const LARGE_CSV = 2 * MIB
const LARGE_JSON = 8 * MIB
const SMALLER = MIB
/** In the gate, a file of each shape is smaller: each reading is bounded alike, whatever its size. */
const [API_CSV, API_JSON] = [inputs(SMALLER / 8, LARGE_CSV), inputs(SMALLER / 4, LARGE_JSON)]
/** Files that the service decodes, keeps, or stores in different ways. The test also sends them at the largest size. */
const AS_LARGE_AS_CAN_BE: ReadonlySet<string> = new Set([
  'empty lines',
  'a first line without an end',
  'one quoted cell of line ends',
  '500 columns, the last one full',
  'the most wide rows',
  'bytes that are not UTF-8',
  'UTF-16, empty lines',
])

/** Workbooks that the gate tries: what each counts wrongly is another thing. The others are larger ones of the same kinds. */
const FEW_WORKBOOKS: ReadonlySet<string> = new Set([
  'a part that unpacks to more than it says',
  'a row number of 2,000,000,000',
  'a cell in column ZZZZZZ',
  'a link of all cells',
  'a row that is repeated',
  'a cell that is repeated',
  'entities that refer to each other',
  'a million cells in a row',
  'an archive that is cut off',
])
/** In the gate, the service reads a quarter of the shapes, and the client, which reads them in the same way, all. */
const isTried = (name: string, at: number) => !isQuick || at % 4 === 0 || AS_LARGE_AS_CAN_BE.has(name)

/** What is compared with an ordinary file is smaller in the gate, and so is that one. */
const ordinary = isQuick ? ordinaryFile(SMALLER) : ordinaryFile()
const { upload } = await startWatched(t, ordinary)

await t.test('a hostile file that is uploaded through the API takes nobody else the event loop', async (t) => {
  for (const file of hostileFiles(API_CSV, API_JSON, isTried)) await t.test(file.name, (t) => upload(t, file, 'api'))
})

await t.test(
  'nor does one as large as it can be',
  { skip: isQuick && 'only the nightly run tries the largest files' },
  async (t) => {
    let count = 0
    for (const file of hostileFiles(undefined, undefined, (name) => AS_LARGE_AS_CAN_BE.has(name))) {
      count += 1
      await t.test(file.name, (t) => upload(t, file, 'api'))
    }
    t.equal(count, AS_LARGE_AS_CAN_BE.size)
  },
)

await t.test('a hostile workbook takes nobody else the event loop either', async (t) => {
  const { upload } = await startWatched(t, ordinaryWorkbook(inputs(MOST_ROWS / 20, MOST_ROWS)))
  for (const file of hostileWorkbooks((name) => !isQuick || FEW_WORKBOOKS.has(name)))
    await t.test(file.name, (t) => upload(t, file, 'api'))
})

await t.test('a hostile file that is uploaded through the page takes nobody else the event loop', async (t) => {
  const isWanted = (name: string) => !isQuick || AS_LARGE_AS_CAN_BE.has(name)
  for (const file of hostileFiles(SMALLER, undefined, isWanted)) await t.test(file.name, (t) => upload(t, file, 'page'))
})

await t.test('a hostile file that the client sends is read in short turns', async (t) => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    'test/fairness/read-hostile-files.ts',
    String(inputs(SMALLER / 8, SMALLER)),
    String(MAX_WORK_MS),
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
