import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import module from 'node:module'
import { basename, dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import vm from 'node:vm'

/*
 * The program of the process that reads files, as one plain script that is compiled already. Finding, reading, and
 * compiling its modules, and leaving out their types, takes more processor time than reading a small file, and Node.js
 * keeps no compile cache for a process that may not write. So it is done once, inside node_modules, where only those can
 * write who may change the program anyway. The script contains its packages, too, and the service keeps it in memory:
 * while it runs, its folder may get another version.
 */

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const PROGRAM = 'src/spreadsheets/process/reader-program'
const SOURCES = ['src/spreadsheets', 'src/text']
/** The packages that it needs, and their scripts. */
const PACKAGES = {
  'libphonenumber-js/min': ['libphonenumber-js', './bundle/libphonenumber-min.js'],
  '@e965/xlsx': ['@e965/xlsx', './xlsx.js'],
  '@e965/xlsx/dist/cpexcel.full.mjs': ['@e965/xlsx', './dist/cpexcel.js'],
} as const
const IMPORT = /^import (\{[^{}]*\}|\* as \w+) from '([^']+)'/gm
const LATER_IMPORT = /\bimport\('([^']+)'\)/g
const EXPORT = /^export (?=(?:async )?(?:function\*?|class|const) (\w+))/gm

/** The program with its types, or as the package of the client has it, without them. */
export const TYPED_PROGRAM = join(ROOT, `${PROGRAM}${extname(import.meta.url)}`)

/**
 * Runs the program, which comes first on its standard input: the lengths of the script and of what V8 made of it, and
 * then both.
 */
export const RUN_PROGRAM = `
const { readSync } = require('node:fs')
const take = (size) => {
  const taken = Buffer.allocUnsafe(size)
  for (let at = 0; at < size;) at += readSync(0, taken, at, size - at) || process.exit()
  return taken
}
const lengths = take(8)
const source = take(lengths.readUInt32LE()).toString()
const script = new (require('node:vm').Script)(source, { cachedData: take(lengths.readUInt32LE(4)) })
script.runInThisContext()(require)`

let file: string | undefined
let held: Buffer | undefined

/**
 * Holds the program for `RUN_PROGRAM`. Undefined if its sources have types, and nobody has left them out yet: another
 * process does so, and the program is held once that has ended.
 */
export function holdProgram(): Buffer | undefined {
  // The package of the client has no types.
  if (file === undefined && TYPED_PROGRAM.endsWith('.ts')) {
    file = locate(readSources())
    holdFile()
    if (!held) startWriting()
  }
  return held
}

function holdFile(): void {
  if (existsSync(file!)) held = readFileSync(file!)
}

function startWriting(): void {
  const program = fileURLToPath(new URL('./write-plain-program.ts', import.meta.url))
  const child = spawn(process.execPath, [program], { cwd: '/', env: {}, stdio: 'ignore' })
  // It is slower without.
  child.on('error', () => {})
  child.on('exit', holdFile)
  child.unref()
}

/** Writes the program, all of it at once, also where several processes do. Deletes what earlier sources became. */
export function writePlainProgram(): void {
  const sources = readSources()
  const target = locate(sources)
  const parent = dirname(target)
  mkdirSync(parent, { recursive: true })
  const made = join(parent, `new-${process.pid}`)
  const text = joinModules(sources)
  const script = Buffer.from(text)
  const compiled = new vm.Script(text).createCachedData()
  const lengths = Buffer.alloc(8)
  lengths.writeUInt32LE(script.length)
  lengths.writeUInt32LE(compiled.length, 4)
  writeFileSync(made, Buffer.concat([lengths, script, compiled]))
  renameSync(made, target)
  for (const other of readdirSync(parent))
    if (other !== basename(target)) rmSync(join(parent, other), { recursive: true, force: true })
}

/**
 * Joins the modules that the program needs into a script. Its value is a function that takes `require`, for the modules of
 * Node.js, and runs the program. Each module is a function in parentheses, so that V8 compiles it at once, and each package
 * one without, because not every file needs it.
 */
function joinModules(sources: readonly Source[]): string {
  const modules = new Map<string, string>()
  const add = (name: string): string => {
    const source = sources.find(({ path }) => path === name)
    if (source && !modules.has(name)) {
      modules.set(name, '')
      modules.set(name, name in PACKAGES ? `function ${PARAMETERS} {\n${source.text}\n}` : writeModule(source, add))
    }
    return JSON.stringify(name)
  }
  const program = add(`${PROGRAM}.ts`)
  const functions = Array.from(modules, ([name, text]) => `${JSON.stringify(name)}: ${text},`)
  return `(function (requireBuiltIn) {
    'use strict'
    const modules = {${functions.join('\n')}}
    const loaded = {}
    const load = (name) => loaded[name] ??= name in modules ? run(modules[name]) : requireBuiltIn(name)
    const run = async (fill) => {
      const module = { exports: {} }
      await fill(load, module.exports, module)
      return module.exports
    }
    return load(${program})
  })`
}

/** Packages must not find the global `require`: they would look for files. */
const PARAMETERS = '(load, exports, module, require)'

/** Writes a module as a function, which loads what it imports, by the names that `add` gives it. */
function writeModule({ path, text }: Source, add: (name: string) => string): string {
  const nameOf = (specifier: string) => add(specifier.startsWith('.') ? join(dirname(path), specifier) : specifier)
  const plain = module.stripTypeScriptTypes(text)
  const exported = Array.from(plain.matchAll(EXPORT), ([, name]) => name)
  const body = plain
    .replaceAll(IMPORT, (_, names: string, specifier: string) => {
      const taken = names.replace('* as ', '').replaceAll(' as ', ': ')
      return `const ${taken} = await load(${nameOf(specifier)})`
    })
    .replaceAll(LATER_IMPORT, (_, specifier: string) => `load(${nameOf(specifier)})`)
    .replaceAll(EXPORT, '')
  return `(async function ${PARAMETERS} {\n${body}\nObject.assign(exports, { ${exported.join(', ')} })\n})`
}

interface Source {
  path: string
  text: string
}

function readSources(): Source[] {
  const paths = SOURCES.flatMap((source) =>
    readdirSync(join(ROOT, source), { encoding: 'utf8', recursive: true }).map((name) => join(source, name)),
  )
  const own = paths
    .filter((path) => path.endsWith('.ts'))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))
  const packages = Object.entries(PACKAGES).map(([path, [name, script]]) => ({
    path,
    text: readFileSync(new URL(script, import.meta.resolve(name)), 'utf8'),
  }))
  return [...own, ...packages]
}

/** The file of what these sources become. Each version of Node.js compiles them otherwise. */
function locate(sources: readonly Source[]): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([process.version, sources]))
    .digest('hex')
  return join(ROOT, 'node_modules/.cache/spreadsheets', digest)
}
