import { createInterface } from 'node:readline/promises'
import { StartupError } from '../../postgres/startup-error.ts'

/** Makes sure that what cannot be undone is meant: by `--yes`, or by an answer at the terminal. */
export async function confirm(question: string, yes: boolean | undefined): Promise<void> {
  if (yes) return
  if (!process.stdin.isTTY) throw new StartupError('this cannot be undone: say --yes')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await terminal.question(`${question} This cannot be undone. Type "yes": `)
    if (answer.trim().toLowerCase() !== 'yes') throw new StartupError('nothing was done')
  } finally {
    terminal.close()
  }
}
