import ts from '@typescript/typescript6'
import { RIGHTS } from '../../../src/migration/roles.ts'
import type { SourceFile } from './source-files.ts'

/* Rules for SQL in source files. Each function takes files and returns a line for each fault. */

const TABLES = Object.keys(RIGHTS).join('|')
const CHANGE = String.raw`(?<!\bfor )\b(?:update|delete\s+from)\b`
const VOLATILE = String.raw`\b(?:clock_timestamp|gen_random_uuid|random|timeofday)\(\)`
const TIME = String.raw`\b(?:statement_timestamp|now)\(\)`
/** Rows that are changed by a function whose result differs from call to call. */
const VOLATILE_CHANGE = new RegExp(`${CHANGE}[^;]*${VOLATILE}`, 'i')
const CHOICE = String.raw`(?:\bcase\b(?:(?!\bend\b)[^;])*|\bcoalesce\([^;)]*)`
/** Rows that are changed by the time of the statement within CASE or COALESCE. */
const CHOSEN_TIME = new RegExp(`${CHANGE}[^;]*${CHOICE}${TIME}`, 'i')
const LOCK = new RegExp(`\\bfrom\\s+(?:${TABLES})\\b[^;]*\\bfor\\s+(?:no\\s+key\\s+)?(?:update|share)\\b`, 'i')

/** Changes by a volatile function, which Citus refuses. Of the times, only `statement_timestamp()` and `now()` are stable. */
export function volatileChangeFaults(files: SourceFile[]): string[] {
  return stringsLike(VOLATILE_CHANGE, files)
}

/** Changes that choose between the time of the statement and something else, which Citus refuses. */
export function chosenTimeFaults(files: SourceFile[]): string[] {
  return stringsLike(CHOSEN_TIME, files)
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
