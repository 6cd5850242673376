import { createInterface } from 'node:readline/promises'
import { StartupError } from '#postgres/startup-error'
import { foldText, trimBlanks } from '#text/normalize-text'

/** Asks for confirmation at the terminal, unless `--yes` was given. Throws a StartupError without it. */
export async function confirm(question: string, yes: boolean | undefined): Promise<void> {
  if (yes) return
  if (!process.stdin.isTTY) throw new StartupError('this cannot be undone; confirm with --yes')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await terminal.question(`${question} This cannot be undone. Type "yes" to continue: `)
    if (foldText(trimBlanks(answer)) !== 'yes') throw new StartupError('not confirmed; nothing was changed')
  } finally {
    terminal.close()
  }
}
