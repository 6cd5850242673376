import { meaningOf } from './oracle/finding.ts'
import type { Outcome } from './run.ts'

/* The table of docs/reliability/results.md, from the outcomes of runs. */

/** Rows by fault, in Markdown. Times are in milliseconds. */
export function tableOf(outcomes: Outcome[]): string {
  const heads = [
    'fault',
    'runs',
    'times',
    'calls',
    'acknowledged',
    'parts of files',
    'messages',
    'repeated',
    'tries without answer',
    'lost',
    'doubled',
    'wrong',
    'longest outage, ms',
    'recovery, ms',
    'lag over after, ms',
    'slowest answer, ms',
    'seeds',
  ]
  const rows = [...Map.groupBy(outcomes, ({ fault }) => fault)].map(([fault, own]) => rowOf(fault, own))
  const [head, ...lines] = [heads, ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  return [head, `|${'---|'.repeat(heads.length)}`, ...lines].join('\n')
}

function rowOf(fault: string, outcomes: Outcome[]): (string | number)[] {
  const sum = (value: (outcome: Outcome) => number) => outcomes.reduce((total, outcome) => total + value(outcome), 0)
  const longest = (value: (outcome: Outcome) => number) => Math.max(0, ...outcomes.map(value))
  const found = (meaning: string) =>
    sum(({ wrong }) => wrong.filter((finding) => meaningOf(finding) === meaning).length)
  const seeds = outcomes.map(({ seed }) => seed)
  const [first, last] = [Math.min(...seeds), Math.max(...seeds)]
  return [
    fault,
    outcomes.length,
    sum(({ times }) => times),
    sum(({ calls }) => calls),
    sum(({ acknowledged }) => acknowledged),
    sum(({ parts }) => parts),
    sum(({ messages }) => messages),
    sum(({ repeated }) => repeated),
    sum(({ unknown }) => unknown),
    ...['lost', 'doubled', 'wrong'].map(found),
    longest(({ outageMs }) => outageMs),
    longest(({ recoveryMs }) => recoveryMs),
    longest(({ lagMs }) => lagMs),
    longest(({ slowestMs }) => slowestMs),
    first === last ? first : `${first}–${last}`,
  ]
}
