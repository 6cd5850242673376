import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import module from 'node:module'
import { basename, dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import vm from 'node:vm'

/*
 * The program of the process that reads files, as one plain script that is compiled already. Finding, reading, and
 * compiling its modules, and leaving out their types, takes more processor time than reading a small file, and Node.js
 * keeps no compile cache for a process that may not write. So it is done once, inside node_modules, where only those can
 * write who may change the program anyway. The script contains the library for phone numbers, too.
 */

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const PROGRAM = 'src/spreadsheets/process/reader-program'
const SOURCES = ['src/spreadsheets', 'src/text']
/** What runs the script. */
const START = 'reader-program.mjs'
const START_TEXT = `
  import { readFileSync } from 'node:fs'
  import vm from 'node:vm'

  const read = (name) => readFileSync(new URL(name, import.meta.url))
  const script = new vm.Script(read('./script.js').toString(), { cachedData: read('./compiled') })
  await script.runInThisContext()((name) => import(name))`
const PHONE_LIBRARY = 'libphonenumber-js/min'
const IMPORT = /^import (\{[^{}]*\}|\* as \w+) from '([^']+)'/gm
const LATER_IMPORT = /\bimport\('([^']+)'\)/g
const EXPORT = /^export (?=(?:async )?(?:function\*?|class|const) (\w+))/gm

let folder: string | undefined

/**
 * Finds the program that reads a file. If its sources have types, and nobody has left them out yet, another process does
 * so for later calls.
 */
export function findProgram(): string {
  const extension = extname(import.meta.url)
  const typed = join(ROOT, `${PROGRAM}${extension}`)
  // The package of the client has no types.
  if (extension === '.js') return typed
  if (folder === undefined) {
    folder = locate(readSources())
    if (!existsSync(folder)) startWriting()
  }
  const plain = join(folder, START)
  return existsSync(plain) ? plain : typed
}

function startWriting(): void {
  const program = fileURLToPath(new URL('./write-plain-program.ts', import.meta.url))
  const child = spawn(process.execPath, [program], { cwd: '/', env: {}, stdio: 'ignore' })
  // It is slower without.
  child.on('error', () => {})
  child.unref()
}

/**
 * Writes the sources without their types, all of them at once. Of several processes that do, the first one wins, and the
 * others throw. Deletes what earlier sources became.
 */
export function writePlainProgram(): void {
  const sources = readSources()
  const target = locate(sources)
  const parent = dirname(target)
  mkdirSync(parent, { recursive: true })
  const made = mkdtempSync(join(parent, 'new-'))
  try {
    const script = joinModules(sources)
    writeFileSync(join(made, 'script.js'), script)
    writeFileSync(join(made, 'compiled'), new vm.Script(script).createCachedData())
    writeFileSync(join(made, START), START_TEXT)
    renameSync(made, target)
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
  for (const other of readdirSync(parent))
    if (other !== basename(target)) rmSync(join(parent, other), { recursive: true, force: true })
}

/**
 * Joins the modules that the program needs into a script. Its value is a function that takes `import`, for packages, and
 * runs the program. Each module is a function in parentheses, so that V8 compiles it at once.
 */
function joinModules(sources: readonly Source[]): string {
  const modules = new Map<string, string>()
  const add = (name: string): string => {
    const source = sources.find(({ path }) => path === name)
    if (source && !modules.has(name)) {
      modules.set(name, '')
      modules.set(name, name === PHONE_LIBRARY ? source.text : writeBody(source, add))
    }
    return JSON.stringify(name)
  }
  const program = add(`${PROGRAM}.ts`)
  const functions = Array.from(
    modules,
    ([name, body]) => `${JSON.stringify(name)}: (async function (load, exports, module) {\n${body}\n}),`,
  )
  return `(function (importPackage) {
    'use strict'
    const modules = {${functions.join('\n')}}
    const loaded = {}
    const load = (name) => loaded[name] ??= name in modules ? run(modules[name]) : importPackage(name)
    const run = async (fill) => {
      const exports = {}
      await fill(load, exports, {})
      return exports
    }
    return load(${program})
  })`
}

/** Writes a module as the body of a function, which loads what it imports, by the names that `add` gives it. */
function writeBody({ path, text }: Source, add: (name: string) => string): string {
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
  return `${body}\nObject.assign(exports, { ${exported.join(', ')} })`
}

interface Source {
  path: string
  text: string
}

function readSources(): Source[] {
  const paths = SOURCES.flatMap((source) =>
    readdirSync(join(ROOT, source), { recursive: true, encoding: 'utf8' }).map((name) => join(source, name)),
  )
  const own = paths
    .filter((path) => path.endsWith('.ts'))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))
  const library = new URL('./bundle/libphonenumber-min.js', import.meta.resolve('libphonenumber-js'))
  return [...own, { path: PHONE_LIBRARY, text: readFileSync(library, 'utf8') }]
}

/** The folder of what these sources become. Each version of Node.js compiles them otherwise. */
function locate(sources: readonly Source[]): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([process.version, sources]))
    .digest('hex')
  return join(ROOT, 'node_modules/.cache/spreadsheets', digest)
}
