import ts from '@typescript/typescript6'
import type { SourceFile } from './source-files.ts'

/** Spread arguments that cannot become many, each with the reason. */
const BOUNDED = new Map([
  ['src/cli/terminal/options.ts: action(...given)', 'the arguments that a command has'],
  ['src/cli/accounts/operator.ts: change(services, asOperator(companyId), ...details)', 'those that a use case has'],
  ['src/pages/parts/elements.ts: write(strings, ...values)', 'one for each place of a template'],
  ['src/spreadsheets/encodings/letter-statistics.ts: Math.max(...inLanguage)', 'one for each language'],
  ['src/spreadsheets/formats/read-csv.ts: Math.max(...sums.values())', 'at most one for each line of a sample'],
])

/**
 * Calls that spread a list into their arguments. Each argument takes space on the stack, so a list of some 100,000
 * throws a RangeError, and a caller may control its length. A loop has no such limit.
 */
export function spreadArgumentFaults(files: SourceFile[], allowed: ReadonlyMap<string, string> = BOUNDED): string[] {
  return files.flatMap(({ path, text }) => {
    const found = spreadingCalls(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)).map(
      (call) => `${path}: ${call}`,
    )
    return found.filter((call) => !allowed.has(call))
  })
}

/** Allowed calls that do not exist. */
export function unusedAllowances(files: SourceFile[]): string[] {
  const found = new Set(spreadArgumentFaults(files, new Map()))
  return [...BOUNDED.keys()].filter((call) => !found.has(call))
}

function spreadingCalls(node: ts.Node): string[] {
  const isSpreading =
    (ts.isCallExpression(node) || ts.isNewExpression(node)) &&
    (node.arguments?.some(ts.isSpreadElement) === true || isApply(node))
  const found = isSpreading ? [node.getText().replaceAll(/\s+/g, ' ')] : []
  ts.forEachChild(node, (child) => {
    for (const call of spreadingCalls(child)) found.push(call)
  })
  return found
}

/** `fn.apply(self, list)` and `Reflect.apply(fn, self, list)` spread just as well. */
function isApply({ expression }: ts.CallExpression | ts.NewExpression): boolean {
  return ts.isPropertyAccessExpression(expression) && expression.name.text === 'apply'
}
