import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { SourceFile } from './source-files.ts'
import { COMPUTED, importsOf, withoutComments } from './source-files.ts'

/* Rules for source files. Each function takes files and returns a line for each fault. */

/** Computed imports, each with the reason why it cannot be a literal. */
const COMPUTED_IMPORTS = new Map([
  ['src/spreadsheets/process/plain-program.ts', 'what the modules import that it joins'],
  ['src/postgres/embedded/postgres-server.ts', 'the package of the embedded server is named after the machine'],
])

/** Reads the table in `docs/rooms.md`: a file imports only files of its own room and of rooms further down. */
export function readRooms(): string[] {
  return [...readFileSync('docs/rooms.md', 'utf8').matchAll(/^\| `([^`]+)` \|/gm)].map(([, room]) => room!)
}

/** The groups of tests that the table of CONTRIBUTING.md lists, as folder/name. */
export function readTestGroups(): string[] {
  return [...readFileSync('CONTRIBUTING.md', 'utf8').matchAll(/^\| `((?:quick|gate|nightly)\/[^`]+)` \|/gm)].map(
    ([, group]) => group!,
  )
}

/** A file's room, a folder or a single file: the innermost one that contains it. */
export function roomOf(file: string, rooms: string[]): string | undefined {
  const around = rooms.filter((room) => file === room || file.startsWith(`${room}/`))
  return around.toSorted((a, b) => b.length - a.length)[0]
}

/** The packages that pure rooms may import. All others would bring a clock, randomness, or I/O along. */
const PURE: [room: string, packages: string[]][] = [
  ['src/domain', ['ip-address', 'libphonenumber-js/min', 'node:crypto', 'node:net', 'node:url', 'node:zlib']],
  ['projections', ['kysely']],
]

/** Imports of rooms further up, imports of pure rooms that are not pure, and files outside all rooms. */
export function wallFaults(files: SourceFile[], rooms: string[]): string[] {
  return files.flatMap((file) => {
    const room = roomOf(file.path, rooms)
    if (!room) return [`${file.path} stands in no room`]
    return importsOf(file)
      .filter((target) => target !== COMPUTED && !mayImport(room, target, rooms))
      .map((target) => `${file.path} must not import ${target}`)
  })
}

function mayImport(room: string, target: string, rooms: string[]): boolean {
  const place = roomOf(target, rooms)
  if (place) return rooms.indexOf(place) >= rooms.indexOf(room)
  if (target === 'package.json') return true
  // It is no TypeScript, and comes before all rooms.
  if (target === 'src/assert-node.js') return room === 'src/main.ts'
  const isPackage = !/^(?:src|test|docs|bench|clients|migrations|projections)\//.test(target)
  const [, packages] = PURE.find(([pure]) => room === pure || room.startsWith(`${pure}/`)) ?? []
  return isPackage && (packages === undefined || packages.includes(target))
}

/** Lists the imports of a file that climb to another folder of `src`, or to `projections`, instead of naming it. */
export function unnamedImports({ path: file, text }: SourceFile): string[] {
  const folderOf = (target: string) =>
    (target.startsWith('src/') ? target.split('/').slice(0, 2) : ['projections']).join('/')
  return [...withoutComments(text).matchAll(/(?:from|import) '(\.\.\/[^']+)'/g)]
    .map(([, specifier = '']) => path.posix.join(path.posix.dirname(file), specifier))
    .filter((target) => /^(?:src\/.+\/|projections\/)/.test(target) && folderOf(target) !== folderOf(file))
    .map((target) => `${file}: ${target}`)
}

/** Imports that cannot be checked by reading them. */
export function computedImportFaults(files: SourceFile[]): string[] {
  return files
    .filter((file) => !COMPUTED_IMPORTS.has(file.path) && importsOf(file).includes(COMPUTED))
    .map((file) => `${file.path} imports what only running it can tell`)
}

/** Circular imports, each once, also of types. */
export function circleFaults(files: SourceFile[]): string[] {
  const edges = new Map(files.map((file) => [file.path, importsOf(file)]))
  const done = new Set<string>()
  const faults: string[] = []
  function visit(path: string, trail: string[]): void {
    const start = trail.indexOf(path)
    if (start >= 0) faults.push([...trail.slice(start), path].join(' → '))
    if (start >= 0 || done.has(path)) return
    for (const target of edges.get(path) ?? []) visit(target, [...trail, path])
    done.add(path)
  }
  for (const path of edges.keys()) visit(path, [])
  return faults
}

const IMPURE: Record<string, RegExp> = {
  'Date.now': /\bDate\.now\b/,
  'new Date() without an instant': /\bnew Date(?:\(\s*\)|(?!\())/,
  'Date() as a function': /(?<!new )\bDate\(/,
  'Math.random': /\bMath\.random\b/,
  performance: /\bperformance\b/,
  process: /\bprocess\b\s*[.[]/,
  'crypto.random…': /\bcrypto\b\s*[.[]|\brandom(?:UUID|Bytes|Int|FillSync)\b/,
  'a timer': /\bset(?:Timeout|Interval|Immediate)\b/,
  fetch: /\bfetch\(/,
  console: /\bconsole\s*[.[]/,
  globalThis: /\bglobalThis\b/,
  'import.meta': /\bimport\.meta\b/,
}

/** What makes the same input give different output: clocks, randomness, the environment. */
export function impurityFaults(files: SourceFile[]): string[] {
  return files.flatMap((file) => {
    const code = withoutComments(file.text)
    const found = Object.entries(IMPURE).filter(([, pattern]) => pattern.test(code))
    return found.map(([name]) => `${file.path} must not use ${name}`)
  })
}

/** Where the clock of the process may be read, and why. */
const MAY_READ_CLOCK = new Map([
  ['src/postgres/database-clock.ts', 'until the clock of the database has been measured'],
  ['src/ledger/new-id.ts', 'ids are ordered by time, and nothing is decided by it'],
  ['src/cli/doctor/check-server.ts', 'compares the clocks'],
  ['src/cli/doctor/check-machines.ts', 'compares the clocks'],
  ['src/ledger/read/read-standings.ts', 'compares the clocks'],
  ['src/cli/secrets/secrets.ts', 'the age of a file of this machine'],
  ['src/postgres/embedded/postgres-server.ts', 'the age of a file of this machine'],
])

/** Only the database's clock decides: `databaseTime`, or the time that a statement reads. */
export function clockFaults(files: SourceFile[]): string[] {
  return files
    .filter(
      ({ path, text }) => /\bDate\.now\b|\bnew Date\(\s*\)/.test(withoutComments(text)) && !MAY_READ_CLOCK.has(path),
    )
    .map(({ path }) => `${path} must not read the clock of the process`)
}

/** Where connections to PostgreSQL are created, with the listeners without which a lost one would end the process. */
const OF_CONNECTIONS = new Set(['src/postgres/pool.ts'])

/** Connections to PostgreSQL that are created elsewhere. */
export function connectionFaults(files: SourceFile[]): string[] {
  return files
    .filter(
      ({ path, text }) => !OF_CONNECTIONS.has(path) && /\bnew (?:pg\.)?(?:Client|Pool)\(/.test(withoutComments(text)),
    )
    .map(({ path }) => `${path} must not create a connection to PostgreSQL`)
}

const SAYS_NOTHING = new Set(['util', 'utils', 'helper', 'helpers', 'manager', 'managers', 'common', 'misc', 'index'])
/** The list of all projections is not a barrel: it exports the list and nothing of the projections. */
const NAMED_INDEX = 'projections/index.ts'

/** Names that do not say what a file contains. */
export function nameFaults(files: SourceFile[]): string[] {
  return files.flatMap(({ path }) => {
    const names = path.replace(/(?:(?:\.long)?\.test)?\.ts$/, '').split('/')
    const empty = names.filter((name) => SAYS_NOTHING.has(name) && path !== NAMED_INDEX)
    return empty.map((name) => `${path}: ${name} does not tell what it holds`)
  })
}

/** Tests that exclude others, and tests skipped without a reason. */
export function focusFaults(files: SourceFile[]): string[] {
  return files.flatMap(({ path, text }) => {
    const code = withoutComments(text)
    const left = [...code.matchAll(/\b(?:skip|todo):\s*([^,}\n]*)/g)].filter(([, reason]) => !/['"`]/.test(reason!))
    const focus = /\.only\(|\bonly:\s*true/.test(code) ? [`${path} leaves other tests out`] : []
    const called = /\.(?:skip|todo)\(/.test(code) ? [`${path} must give its reason as { skip: 'reason' }`] : []
    return [...focus, ...called, ...left.map(([use]) => `${path} gives no reason for ${use}`)]
  })
}
