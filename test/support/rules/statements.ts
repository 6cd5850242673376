import ts from '@typescript/typescript6'
import { RIGHTS } from '../../../src/migration/roles.ts'
import type { SourceFile } from './source-files.ts'

/* Rules for SQL in source files. Each function takes files and returns a line for each fault. */

const TABLES = Object.keys(RIGHTS).join('|')
const CHANGE = String.raw`(?<!\bfor )\b(?:update|delete\s+from)\b`
const CONFLICT = String.raw`\bon\s+conflict\b[^;]*\bdo\s+update\b`
const CHOICE = String.raw`(?:\bcase\b(?:(?!\bend\b)[^;])*|\bcoalesce\([^;)]*)`
/** Functions whose result differs from call to call, and those that return the time of the statement. */
const VOLATILE = String.raw`\b(?:clock_timestamp|gen_random_uuid|random|timeofday)\(\)`
const TIME = String.raw`\b(?:statement_timestamp|now)\(\)`
const SHIFTED = String.raw`\bset\s+(\w+)\s*=\s*\1\s*[-+]\s*(?:make_)?interval\b`
const REFUSED = [
  `${CHANGE}[^;]*${VOLATILE}`,
  `${CHANGE}[^;]*${CHOICE}${TIME}`,
  `${CHANGE}[^;]*${SHIFTED}`,
  `${CONFLICT}[^;]*${TIME}`,
  // What a template inserts is TypeScript's.
  String.raw`\breturning\s[^;)]*(?<![\w.{])(?!coalesce\b|length\b)\w+\(`,
].map((pattern) => new RegExp(pattern, 'i'))
const LOCK = new RegExp(`\\bfrom\\s+(?:${TABLES})\\b[^;]*\\bfor\\s+(?:no\\s+key\\s+)?(?:update|share)\\b`, 'i')

/**
 * Changes that Citus refuses: those by a volatile function, those that choose between the time and something else, those
 * that add an interval to a time of the row, those that use the time after ON CONFLICT, and those that call a function
 * after RETURNING, which must be immutable.
 */
export function changeFaults(files: SourceFile[]): string[] {
  return REFUSED.flatMap((pattern) => stringsLike(pattern, files))
}

/** Where rows of several companies may be locked, and why. */
const MAY_LOCK_SEVERAL = new Map([
  ['src/ledger/append/statements.ts', 'on a cluster, the companies of a transaction are one'],
  ['test/faults/faults.ts', 'those of a cluster have faults of their own'],
])

/** Locks on rows that no company is named for, or several are, which Citus refuses. */
export function lockFaults(files: SourceFile[]): string[] {
  const places = files.filter(({ path }) => !MAY_LOCK_SEVERAL.has(path))
  return stringsLike(LOCK, places).filter((fault) => !/\bcompany_id = (?!any\b)/.test(fault))
}

function stringsLike(pattern: RegExp, files: SourceFile[]): string[] {
  return files
    .filter(({ text }) => pattern.test(text))
    .flatMap(({ path, text }) =>
      stringsIn(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true))
        .filter((sql) => pattern.test(sql))
        .map((sql) => `${path}: ${sql.replaceAll(/\s+/g, ' ')}`),
    )
}

/** The string and template literals of a file, as they are written. */
function stringsIn(node: ts.Node): string[] {
  if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) return [node.getText()]
  const found: string[] = []
  ts.forEachChild(node, (child) => {
    for (const text of stringsIn(child)) found.push(text)
  })
  return found
}
