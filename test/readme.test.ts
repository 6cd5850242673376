import { existsSync, readFileSync } from 'node:fs'
import t from 'tap'
import { anchorsOf, linksOf } from './support/markdown.ts'
import { commandRows, settingsRows } from './support/readme-tables.ts'

const readme = readFileSync('README.md', 'utf8')

const IN_A_FOLDER = /^(?:src|test|projections|migrations|bench|docs|\.ci)(?:\/|$)/
const AT_THE_TOP = /^(?:[\w-]+\.(?:md|yml|json)|LICENSE|Dockerfile)$/

await t.test('the table of settings is what src/config.ts reads: names, defaults, meanings', async (t) => {
  t.strictSame(tableOf('Settings'), settingsRows())
})

await t.test('each limit that every process counts for itself says so, and what that comes to is told below the table', (t) => {
  const counted = ['LANES', 'CALLS_WAITING', 'RECORDS_WAITING', 'POOL_SIZE', 'BURST_LIMIT', 'FAILURE_LIMIT', 'SIGN_IN_LIMIT', 'STREAMS_PER_USER']
  const rows = tableOf('Settings')
  for (const name of counted) t.match(rows.find((row) => row.startsWith(`| \`${name}\` |`)), /; per process \|$/, name)
  t.match(readme.split('\n## Settings\n')[1]!.split('\n## ')[0], /\*\*N × limit\*\*/)
  t.end()
})

await t.test('the table of commands is what the program offers', async (t) => {
  t.strictSame(tableOf('The command line'), commandRows())
})

await t.test('every file that the README names exists', async (t) => {
  const named = [...readme.matchAll(/`([\w./-]+)`/g)].map(([, name]) => name!)
  const paths = named.filter((name) => IN_A_FOLDER.test(name) || AT_THE_TOP.test(name))
  t.ok(paths.length > 20, 'paths are found')
  t.strictSame(paths.filter((path) => !existsSync(path)), [])
})

await t.test('every link inside the README leads somewhere', async (t) => {
  t.strictSame(linksOf(readme).filter((link) => !anchorsOf(readme).includes(link)), [])
})

await t.test('every npm script that the README names exists', async (t) => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
  const uses = readme.matchAll(/npm (?:run (?:--silent )?([\w:-]+)|(start|test)\b)/g)
  const named = [...uses].map(([, script, short]) => script ?? short!)
  t.ok(named.length > 5, 'scripts are found')
  t.strictSame(named.filter((name) => !Object.hasOwn(scripts, name)), [])
})

await t.test('no line is wider than a reader is used to', async (t) => {
  const lines = readme.split('\n').filter((line) => !line.startsWith('|'))
  t.strictSame(lines.filter((line) => line.length > 120), [])
})

/** The rows of the table under a heading, without its own heading. */
function tableOf(heading: string): string[] {
  const [, section] = readme.split(`\n## ${heading}\n`)
  const rows = (section ?? '').split('\n## ')[0]!.split('\n').filter((line) => line.startsWith('| '))
  return rows.slice(1)
}
