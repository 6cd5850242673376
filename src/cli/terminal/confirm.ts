import { createInterface } from 'node:readline/promises'
import { StartupError } from '#postgres/startup-error'
import { UsageError } from './fail-with.ts'
import { foldText, trimBlanks } from '#text/normalize-text'

/** Asks for confirmation at the terminal, unless `--yes` was given. Throws a UsageError without a terminal, and a StartupError unless it is given. */
export async function confirm(question: string, yes: boolean | undefined) {
  if (yes) return
  if (!process.stdin.isTTY) throw new UsageError('this cannot be undone; confirm with --yes')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await terminal.question(`${question} This cannot be undone. Type "yes" to continue: `)
    if (foldText(trimBlanks(answer)) !== 'yes') throw new StartupError('not confirmed; nothing was changed')
  } finally {
    terminal.close()
  }
}
