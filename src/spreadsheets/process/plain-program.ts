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

/*
 * The program of the process that reads files, as plain JavaScript. Leaving out its types takes more processor time than
 * reading a small file, and Node.js keeps no compile cache for a process that may not write. So it is done once, inside
 * node_modules, where only those can write who may change the program anyway. The library for phone numbers comes as one
 * file there: to load its 93 modules took a third of the processor time of a small file.
 */

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const PROGRAM = 'src/spreadsheets/process/reader-program'
const SOURCES = ['src/spreadsheets', 'src/text']
const PHONE_LIBRARY = 'src/text/libphonenumber.cjs'
const PHONE_IMPORT = /import\s(\{[^{}]+\}) from 'libphonenumber-js\/min'/
/** The specifier of an import from a file beside. */
export const OWN_IMPORT = /(?<=\b(?:from|import)[\s(]*)(['"])(\.{1,2}\/[^'"]+)\.ts\1/g

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
  const plain = join(folder, `${PROGRAM}.js`)
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
    writeFileSync(join(made, 'package.json'), '{"type":"module"}')
    for (const { path, text } of sources) {
      const file = join(made, path.replace(/\.ts$/, '.js'))
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, path === PHONE_LIBRARY ? text : writePlainly(path, text))
    }
    renameSync(made, target)
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
  for (const other of readdirSync(parent))
    if (other !== basename(target)) rmSync(join(parent, other), { recursive: true, force: true })
}

function writePlainly(path: string, text: string): string {
  const library = JSON.stringify(`${'../'.repeat(path.split('/').length - 1)}${PHONE_LIBRARY}`)
  return module
    .stripTypeScriptTypes(text)
    .replaceAll(OWN_IMPORT, '$1$2.js$1')
    .replace(PHONE_IMPORT, (_, names: string) => `import phones from ${library}\nconst ${names} = phones`)
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

/** The folder of what these sources become. */
function locate(sources: readonly Source[]): string {
  const digest = createHash('sha256').update(JSON.stringify(sources)).digest('hex')
  return join(ROOT, 'node_modules/.cache/spreadsheets', digest)
}
