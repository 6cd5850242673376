import { globSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { findTests, LONG } from './support/run-files.ts'
import * as rules from './support/rules/code-rules.ts'
import { readRooms, type Room } from './support/rules/rooms.ts'
import { spreadArgumentFaults, unusedAllowances } from './support/rules/spread-arguments.ts'
import { importsOf, readSources, type SourceFile } from './support/rules/source-files.ts'

/*
 * The boundaries between the program's rooms. Each rule is also shown a made-up file that breaks it, because a rule
 * that can't fail guards nothing.
 */

const ROOMS = readRooms()
const program = readSources('src', 'projections', 'migrations', 'bench', 'clients', 'docs/openapi')
const tests = readSources('test')

await t.test('every file is in a room, and every room has files', async (t) => {
  t.ok(program.length > 50, 'the files are found')
  t.strictSame(
    program.filter(({ path }) => !rules.roomOf(path, ROOMS)).map(({ path }) => path),
    [],
  )
  t.strictSame(rules.wallFaults([made('lib/thing.ts')], ROOMS), ['lib/thing.ts stands in no room'])
  for (const room of ROOMS) t.ok(filesOf(room).length > 0, `${room.at} has files`)
})

await t.test('a room imports only rooms below it, so imports between rooms are never circular', async (t) => {
  t.strictSame(rules.wallFaults(program, ROOMS), [])
  for (const [at, room] of ROOMS.entries()) {
    for (const target of [...ROOMS.slice(Math.max(0, at - 1), at).map(fileIn), 'test/support/rules/rooms.ts']) {
      const file = made(fileIn(room), importing(fileIn(room), target))
      t.strictSame(rules.wallFaults([file], ROOMS), [`${file.path} must not import ${target}`])
    }
  }
})

await t.test('the domain and the projections import only pure packages', async (t) => {
  for (const at of ['src/domain', 'projections/employees']) {
    const file = made(`${at}/thing.ts`, "import 'left-pad'")
    t.strictSame(rules.wallFaults([file], ROOMS), [`${file.path} must not import left-pad`])
  }
})

await t.test(`no folder holds more than ${rules.MAX_FILES} files`, async (t) => {
  t.strictSame(rules.crowdFaults([...program, ...tests]), [])
  const crowd = Array.from({ length: rules.MAX_FILES + 1 }, (_, at) => made(`src/a/x${at}.ts`))
  t.strictSame(rules.crowdFaults(crowd), [`src/a holds ${rules.MAX_FILES + 1} files`])
})

await t.test('every test file runs in one group, the long ones in a long group', async (t) => {
  const groups = tests.filter(({ path }) => path.startsWith('test/groups/'))
  const run = groups.map(({ path, text }) => {
    const patterns = [...text.matchAll(/'(test\/[^']+)'/g)].map(([, pattern]) => pattern!)
    const files = findTests(patterns)
    t.ok(files.length > 0, `${path} runs something`)
    return { isLong: path.startsWith('test/groups/long/'), files }
  })
  const all = globSync('test/**/*.test.ts', { exclude: ['test/groups/**'] })
  t.strictSame(run.flatMap(({ files }) => files).toSorted(), all.toSorted())
  t.ok(run.every(({ isLong, files }) => files.every((file) => file.endsWith(LONG) === isLong)))
})

await t.test('only the command line, the demo and tests import bootstrap, and nothing imports the entry', async (t) => {
  const importers = (files: SourceFile[], path: string) =>
    files.filter((file) => importsOf(file).some(({ target }) => target.startsWith(path))).map((file) => file.path)
  const all = [...program, ...tests]
  t.strictSame(
    importers(all, 'src/bootstrap/').filter((file) => !/^(?:src\/(?:bootstrap|cli|demo)|test)\//.test(file)),
    [],
  )
  t.strictSame(importers(all, 'src/main.ts'), [])
  t.strictSame(importers([made('src/a.ts', "import './main.ts'")], 'src/main.ts'), ['src/a.ts'])
})

await t.test('imports are not circular', async (t) => {
  t.strictSame(rules.circleFaults(program), [])
  const circle = ['a', 'b', 'c'].map((name, at, all) => made(`src/${name}.ts`, `import './${all[(at + 1) % 3]}.ts'`))
  t.strictSame(rules.circleFaults(circle), ['src/a.ts → src/b.ts → src/c.ts → src/a.ts'])
  const ofTypes = [made('src/a.ts', "import './b.ts'"), made('src/b.ts', "import type { A } from './a.ts'")]
  t.strictSame(rules.circleFaults(ofTypes), ['src/a.ts → src/b.ts → src/a.ts'], 'of types, too')
})

await t.test('every import names its target, so that it can be checked', async (t) => {
  t.strictSame(rules.computedImportFaults(program), [])
  t.match(rules.computedImportFaults([made('src/a.ts', 'await import(name)')]), ['src/a.ts imports'])
})

await t.test('domain and projections use no clock, no randomness and no environment', async (t) => {
  t.strictSame(rules.impurityFaults(program.filter(({ path }) => /^(?:src\/domain|projections)\//.test(path))), [])
  const impure: Record<string, string> = {
    'Date.now': 'const now = Date.now()',
    'new Date() without an instant': 'const now = new Date()',
    'Date() as a function': 'const now = Date()',
    'Math.random': 'Math.random()',
    performance: 'performance.now()',
    process: 'process.hrtime()',
    'crypto.random…': 'const id = randomUUID()',
    'a timer': 'setTimeout(go, 5)',
    fetch: 'await fetch(url)',
    console: "console.log('x')",
    globalThis: 'globalThis.Date',
    'import.meta': 'import.meta.url',
  }
  for (const [name, code] of Object.entries(impure)) {
    t.ok(rules.impurityFaults([made('src/domain/a.ts', code)]).includes(`src/domain/a.ts must not use ${name}`), name)
  }
  t.strictSame(rules.impurityFaults([made('src/domain/a.ts', '// Date.now\nconst at = new Date(atMs)')]), [])
})

await t.test('no call spreads a list that may be long into its arguments', async (t) => {
  const served = program.filter(({ path }) => /^(?:src|projections)\//.test(path))
  t.strictSame(spreadArgumentFaults(served), [])
  t.strictSame(unusedAllowances(served), [], 'all allowed spreads still exist')
  const spreading = [
    'list.push(...more)',
    'Math.max(0, ...more)',
    'new Set(...more)',
    'f(\n  ...more,\n)',
    'g(() => f(...more))',
    'f.apply(null, more)',
    'Reflect.apply(f, null, more)',
  ]
  for (const code of spreading) t.equal(spreadArgumentFaults([made('src/a.ts', code)]).length, 1, code)
  const others = 'f([...more], { ...some })\nconst g = (...given: string[]) => given\n// list.push(...more)'
  t.strictSame(spreadArgumentFaults([made('src/a.ts', others)]), [])
})

await t.test('only the clock of the database decides', async (t) => {
  const service = program.filter(({ path }) => path.startsWith('src/') || path.startsWith('projections/'))
  t.strictSame(rules.clockFaults(service), [])
  for (const use of ['Date.now()', 'new Date()'])
    t.strictSame(rules.clockFaults([made('src/a.ts', `const now = ${use}`)]), [
      'src/a.ts must not read the clock of the process',
    ])
})

await t.test('connections to PostgreSQL are created only where they get their listeners', async (t) => {
  t.strictSame(rules.connectionFaults(program.filter(({ path }) => path.startsWith('src/'))), [])
  for (const code of ['new pg.Client({})', 'new Client({})', 'new pg.Pool({})'])
    t.strictSame(rules.connectionFaults([made('src/a.ts', code)]), [
      'src/a.ts must not create a connection to PostgreSQL',
    ])
})

await t.test('names say what a file contains', async (t) => {
  t.strictSame(rules.nameFaults([...program, ...tests]), [])
  t.strictSame(rules.nameFaults([made('src/utils.ts'), made('src/http/index.ts')]).length, 2)
  t.strictSame(rules.nameFaults([made('src/helpers/read-file.ts')]), [
    'src/helpers/read-file.ts: helpers does not tell what it holds',
  ])
})

await t.test('no test excludes others, and none is skipped without a reason', async (t) => {
  t.strictSame(rules.focusFaults(tests.filter(({ path }) => path !== 'test/architecture.test.ts')), [])
  const faulty = ['t.only(1)', '{ only: true }', "t.skip('a')", '{ skip: true }', '{ todo: isRoot }']
  for (const use of faulty) t.equal(rules.focusFaults([made('test/a.test.ts', use)]).length, 1, use)
  t.strictSame(rules.focusFaults([made('test/a.test.ts', "{ skip: isRoot && 'root writes everywhere' }")]), [])
})

await t.test('an import is found in any notation', async (t) => {
  const text = [
    "import a from './a.ts'",
    "import { b,\n  type B,\n} from '../b.ts'",
    "import type { C } from './c.ts'",
    "export * from './d.ts'",
    "export type { E } from './e.ts'",
    "import './f.ts'",
    "const g = await import('./g.ts')",
    'import h from "pkg"',
    "// import i from './i.ts'",
    "/* import j from './j.ts' */",
  ]
  const found = importsOf(made('src/http/x.ts', text.join('\n')))
  const files = ['a', 'c', 'd', 'e', 'f', 'g'].map((name) => `src/http/${name}.ts`)
  t.strictSame(found.map(({ target }) => target).toSorted(), ['pkg', 'src/b.ts', ...files])
  const ofTypes = found.filter(({ isTypeOnly }) => isTypeOnly).map(({ target }) => target)
  t.strictSame(ofTypes, ['src/http/c.ts', 'src/http/e.ts'])
})

function filesOf(room: Room): SourceFile[] {
  return program.filter((file) => rules.roomOf(file.path, ROOMS) === room)
}

function fileIn({ at }: Room): string {
  return at.endsWith('.ts') ? at : `${at}/made-up.ts`
}

function made(path: string, text = ''): SourceFile {
  return { path, text }
}

/** An import of a file or a package in a file's source. */
function importing(importer: string, target: string): string {
  if (!target.endsWith('.ts')) return `import { x } from '${target}'`
  const from = path.posix.relative(path.posix.dirname(importer), target)
  return `import { x } from '${from.startsWith('.') ? from : `./${from}`}'`
}

await t.test('words have one spelling, the American one', async (t) => {
  const british =
    /normalis|summaris|recognis|authoris|serialis|neighbour|colour|licence|cancelled|behaviour|honour|\blearnt/i
  const findings = [...program, ...tests].filter(({ text }) => british.test(text)).map(({ path }) => path)
  t.strictSame(findings, ['test/architecture.test.ts'])
})
