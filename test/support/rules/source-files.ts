import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** A source file, with its path from the root of the repository. */
export interface SourceFile {
  path: string
  text: string
}

/** The target of an `import()` whose argument is not a literal. */
export const COMPUTED = '(computed)'

const STATIC = /^[ \t]*(?:import|export)\b(?:[^'";]*?\bfrom)?\s*['"]([^'"]+)['"]/gm
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

/** What a file imports, a path in the repository or the name of a package: by `import` and `export … from`, for types or effects alone, and by `import()`. */
export function importsOf(file: SourceFile): string[] {
  const code = withoutComments(file.text)
  const specifiers = [...code.matchAll(STATIC), ...code.matchAll(DYNAMIC)].map(([, specifier]) => specifier)
  return specifiers.map((specifier) => (specifier === undefined ? COMPUTED : targetOf(file, specifier)))
}

/** The text without its comments. */
export function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '$1')
}

/** The file or package of a specifier, as `imports` in package.json says for those of other rooms. */
function targetOf(file: SourceFile, specifier: string): string {
  if (specifier.startsWith('#projections/')) return `${specifier.slice(1)}.ts`
  if (specifier.startsWith('#')) return `src/${specifier.slice(1)}.ts`
  return specifier.startsWith('.') ? path.posix.join(path.posix.dirname(file.path), specifier) : specifier
}
