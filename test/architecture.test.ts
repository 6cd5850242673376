import { globSync } from 'node:fs'
import t from 'tap'
import { filesWithInputs, findTests, LONG } from './support/run-files.ts'
import * as rules from './support/rules/code-rules.ts'
import { normalizationFaults, unusedNormalizers } from './support/rules/normalizations.ts'
import { spreadArgumentFaults, unusedAllowances } from './support/rules/spread-arguments.ts'
import { importsOf, readSources } from './support/rules/source-files.ts'

/* The boundaries between the program's rooms, and what the linter cannot see. */

const ROOMS = rules.readRooms()
const program = readSources('src', 'projections', 'migrations', 'bench', 'clients', 'docs/openapi')
const tests = readSources('test')
/** The groups that run again what the gate tries with fewer inputs. */
const ALL_INPUTS = 'nightly/all-inputs'
/** Who may do what, erasure, quotas, old ledgers and databases, the event loop, and hostile files. */
const NEVER_LEAVES_THE_GATE = [
  'test/http/access/authorization*.test.ts',
  'test/erasure/*.test.ts',
  'test/api/admin/erasure-*.test.ts',
  'test/api/v1/quota*.test.ts',
  'test/ledger/**/frozen-*.test.ts',
  'test/postgres/released-migrations.test.ts',
  'test/fairness/event-loop*.test.ts',
  'test/fairness/hostile-files*.test.ts',
]
const served = program.filter(({ path }) => /^(?:src|projections)\//.test(path))

await t.test('every room has files', async (t) => {
  t.ok(program.length > 50, 'the files are found')
  for (const room of ROOMS) {
    const isFilled = program.some(({ path }) => rules.roomOf(path, ROOMS) === room)
    t.ok(isFilled, `${room} has files`)
  }
})

await t.test('a room imports only rooms below it, and a pure one only pure packages', async (t) => {
  t.ok(program.flatMap(importsOf).length > program.length, 'the imports are found')
  t.strictSame(rules.wallFaults(program, ROOMS), [])
})

await t.test('the service imports nothing of the client', async (t) => {
  const importsClient = served.filter((file) => importsOf(file).some((target) => target.startsWith('clients/')))
  t.strictSame(
    importsClient.map(({ path }) => path),
    [],
  )
})

await t.test('imports are not circular', async (t) => {
  t.strictSame(rules.circleFaults(program), [])
})

await t.test('every import names its target, so that it can be checked', async (t) => {
  t.strictSame(rules.computedImportFaults(program), [])
})

await t.test('only the command line, the demo and tests import bootstrap, and nothing imports the entry', async (t) => {
  const importersOf = (path: string) =>
    [...program, ...tests]
      .filter((file) => importsOf(file).some((target) => target.startsWith(path)))
      .map((file) => file.path)
  t.strictSame(
    importersOf('src/bootstrap/').filter((file) => !/^(?:src\/(?:bootstrap|cli|demo)|test)\//.test(file)),
    [],
  )
  t.strictSame(importersOf('src/main.ts'), [])
})

const groups = tests
  .filter(({ path }) => path.startsWith('test/groups/'))
  .map(({ path, text }) => ({
    name: path.slice('test/groups/'.length, -'.test.ts'.length),
    files: findTests([...text.matchAll(/'(!?test\/[^']+)'/g)].map(([, pattern]) => pattern!)),
  }))

await t.test('every test file runs in one group, the long ones not in a quick group', async (t) => {
  const filled = groups.filter(({ name }) => !name.startsWith(ALL_INPUTS))
  for (const { name, files } of filled) t.ok(files.length > 0, `${name} runs something`)
  const all = globSync('test/**/*.test.ts', { exclude: ['test/groups/**'] })
  t.strictSame(filled.flatMap(({ files }) => files).toSorted(), all.toSorted())
  t.ok(filled.every(({ name, files }) => files.every((file) => file.endsWith(LONG) !== name.startsWith('quick/'))))
})

await t.test('the table of groups says for each when it runs, and why', async (t) => {
  t.strictSame(rules.readTestGroups().toSorted(), groups.map(({ name }) => name).toSorted())
})

await t.test('what protects people and ledgers never leaves the gate', async (t) => {
  const gate = groups.filter(({ name }) => !name.startsWith('nightly/')).flatMap(({ files }) => files)
  for (const pattern of NEVER_LEAVES_THE_GATE) {
    const files = globSync(pattern)
    t.not(files.length, 0, `${pattern} names a test`)
    t.strictSame(
      files.filter((file) => !gate.includes(file)),
      [],
    )
  }
})

await t.test('a nightly test tries all of its inputs, and so does the nightly run of the others', async (t) => {
  const nightly = groups.filter(({ name }) => name.startsWith('nightly/')).flatMap(({ files }) => files)
  t.not(filesWithInputs().length, 0)
  t.strictSame(
    filesWithInputs().filter((file) => nightly.includes(file)),
    [],
  )
})

await t.test('domain and projections use no clock, no randomness and no environment', async (t) => {
  t.strictSame(rules.impurityFaults(program.filter(({ path }) => /^(?:src\/domain|projections)\//.test(path))), [])
})

await t.test('an import from another folder of the program names it', async (t) => {
  // What the client takes in has no such names there.
  const named = served.filter(({ path }) => !/^src\/(?:spreadsheets|text)\//.test(path))
  t.strictSame(
    named.flatMap((file) => rules.unnamedImports(file)),
    [],
  )
})

await t.test('only the clock of the database decides', async (t) => {
  t.strictSame(rules.clockFaults(served), [])
})

await t.test('no call spreads a list that may be long into its arguments', async (t) => {
  t.strictSame(spreadArgumentFaults(served), [])
  t.strictSame(unusedAllowances(served), [], 'all allowed spreads still exist')
})

await t.test('texts have one normalization, that of the domain', async (t) => {
  const files = program.filter(({ path }) => /^(?:src|projections|clients)\/(?!spreadsheets\/)/.test(path))
  t.strictSame(normalizationFaults(files), [])
  t.strictSame(unusedNormalizers(files), [], 'all allowed files still have their own')
  const second = "export const isSame = (one: string, other: string) => one.trim() === other // of 'trim'"
  t.strictSame(normalizationFaults([{ path: 'src/uploads/same.ts', text: second }]).length, 1)
})

await t.test('connections to PostgreSQL are created only where they get their listeners', async (t) => {
  t.strictSame(rules.connectionFaults(program.filter(({ path }) => path.startsWith('src/'))), [])
})

await t.test('names say what a file contains', async (t) => {
  t.strictSame(rules.nameFaults([...program, ...tests]), [])
})

await t.test('no test excludes others, and none is skipped without a reason', async (t) => {
  t.strictSame(rules.focusFaults(tests), [])
})

await t.test('words have one spelling, the American one', async (t) => {
  const british =
    /normalis|summaris|recognis|authoris|serialis|neighbour|colour|licence|cancelled|behaviour|honour|\blearnt/i
  const findings = [...program, ...tests].filter(({ text }) => british.test(text)).map(({ path }) => path)
  t.strictSame(findings, ['test/architecture.test.ts'])
})
