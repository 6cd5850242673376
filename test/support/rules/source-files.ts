import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** A source file, with its path from the root of the repository. */
export interface SourceFile {
  path: string
  text: string
}

/** One import of a file. */
interface SourceImport {
  /** The path of a file in the repository, or a package name. */
  target: string
  /** Gone when types are stripped. */
  isTypeOnly: boolean
}

/** The target of an `import()` whose argument is not a literal. */
export const COMPUTED = '(computed)'

const STATIC = /^[ \t]*(?:import|export)(\s+type)?\b(?:[^'";]*?\bfrom)?\s*['"]([^'"]+)['"]/gm
const DYNAMIC = /\b(?:import|require|import\.meta\.resolve)\s*\(\s*(?:['"]([^'"]+)['"]\s*\))?/g

/** All TypeScript files below some folders of the repository, without what is built from them. */
export function readSources(...folders: string[]): SourceFile[] {
  const paths = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => path.posix.join(folder, name)),
  )
  return paths
    .filter((file) => file.endsWith('.ts') && !file.includes('/dist/'))
    .toSorted()
    .map((file) => ({ path: file, text: readFileSync(file, 'utf8') }))
}

/** A file's imports: by `import` and `export … from`, for types or effects alone, and by `import()`. */
export function importsOf(file: SourceFile): SourceImport[] {
  const code = withoutComments(file.text)
  const found = [...code.matchAll(STATIC)].map(([, type, specifier]) => ({
    target: targetOf(file, specifier!),
    isTypeOnly: type !== undefined,
  }))
  const dynamic = [...code.matchAll(DYNAMIC)].map(([, specifier]) => ({
    target: specifier === undefined ? COMPUTED : targetOf(file, specifier),
    isTypeOnly: false,
  }))
  return [...found, ...dynamic]
}

/** The text without its comments. */
export function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '$1')
}

function targetOf(file: SourceFile, specifier: string): string {
  return specifier.startsWith('.') ? path.posix.join(path.posix.dirname(file.path), specifier) : specifier
}
