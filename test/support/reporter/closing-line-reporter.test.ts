import { stripVTControlCharacters } from 'node:util'
import t from 'tap'
import { leftOutLine, TestReport } from './closing-line-reporter.ts'

/** The report of a run that produced these lines of TAP. */
async function report(exitCode: number, ...lines: string[]): Promise<{ text: string; closing: string }> {
  const report = new TestReport()
  report.end(['TAP version 14', ...lines, ''].join('\n'))
  let text = ''
  for await (const chunk of report) text += String(chunk)
  return { text: stripVTControlCharacters(text), closing: report.closingLine(exitCode) }
}

const PASSING_FILE = [
  '# Subtest: a.test.ts',
  '    ok 1 - first',
  '    # Subtest: inner',
  '        ok 1 - second',
  '        1..1',
  '    ok 2 - inner',
  '    1..2',
  'ok 1 - a.test.ts # time=1234.5ms',
]

const BEGIN = ['# Subtest: b.test.ts', '    ok 1 - first']

await t.test('the closing line counts assertions, not the subtests around them', async (t) => {
  const { text, closing } = await report(0, ...PASSING_FILE, '1..1')
  t.equal(closing, '2 passed, 0 failed')
  t.equal(text, 'ok   a.test.ts  2 passed, 0 failed  1.2 s\n')
})

await t.test('a failed assertion is shown in full, with its location and its diff', async (t) => {
  const diagnostics = [
    '      ---',
    '      diff: |',
    '        -2',
    '        +1',
    '      at:',
    '        fileName: a.test.ts',
  ]
  const at = ['        lineNumber: 7', '        columnNumber: 5', '      ...']
  const failing = ['# Subtest: a.test.ts', '    not ok 1 - is equal', ...diagnostics, ...at]
  const file = [...failing, '    1..1', 'not ok 1 - a.test.ts']
  const { text, closing } = await report(1, ...file, '1..1')
  t.equal(closing, '0 passed, 1 failed')
  t.match(text, /^FAIL a\.test\.ts {2}0 passed, 1 failed\n {2}not ok: a\.test\.ts > is equal\n/)
  t.match(text, /a\.test\.ts:7:5\n +-2\n +\+1\n/)
})

await t.test('a file that is killed between two passing assertions counts as failed', async (t) => {
  const killed = [...BEGIN, 'not ok 2 - b.test.ts', '  ---', '  signal: SIGKILL', '  ...']
  const { text, closing } = await report(1, ...PASSING_FILE, ...killed, '1..2')
  t.equal(closing, '3 passed, 1 failed')
  t.match(text, /FAIL b\.test\.ts {2}1 passed, 1 failed\n {2}not ok: b\.test\.ts\n +{ signal: 'SIGKILL' }/)
})

await t.test('a file that passes and then exits with a non-zero code counts as failed', async (t) => {
  const left = [...BEGIN, '    1..1', 'not ok 1 - b.test.ts', '  ---', '  exitCode: 3', '  ...']
  const { closing } = await report(1, ...left, '1..1')
  t.equal(closing, '1 passed, 1 failed')
})

await t.test('skipped tests are counted separately, with name and reason', async (t) => {
  const skipping = ['# Subtest: b.test.ts', '    ok 1 - later # SKIP needs root', '    1..1', 'ok 1 - b.test.ts']
  const { text, closing } = await report(0, ...skipping, '1..1')
  t.equal(closing, '0 passed, 0 failed, 1 skipped')
  t.match(text, 'skipped: b.test.ts > later (needs root)')
})

await t.test('a run that ends badly never reports 0 failed', async (t) => {
  const { closing } = await report(1, ...PASSING_FILE, '1..2')
  t.equal(closing, '2 passed, 1 failed')
})

await t.test('files left out of a quick run are counted by folder', async (t) => {
  const files = ['test/cli/start.long.test.ts', 'test/browser/a/b.long.test.ts', 'test/cli/doctor.long.test.ts']
  const expected = 'left out: 3 long test files (browser 1, cli 2); npm run test:all runs them'
  t.equal(leftOutLine(files), expected)
})

await t.test("a test's standard output is shown", async (t) => {
  const { text } = await report(0, ...BEGIN, '    a word', '    1..1', 'ok 1 - b.test.ts', '1..1')
  t.match(text, '  | ', 'marked as output')
  t.match(text, 'a word')
})
