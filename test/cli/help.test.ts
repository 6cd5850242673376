import type { Command } from 'commander'
import t from 'tap'
import { buildProgram } from '../../src/cli/program.ts'

/** The commands that do something, by what is typed. */
function leavesOf(command: Command, words: string[] = []): [string, Command][] {
  if (command.commands.length === 0) return [[words.join(' '), command]]
  return command.commands.flatMap((child) => leavesOf(child, [...words, child.name()]))
}

/** What help writes, with what is added below the options. */
function helpOf(command: Command): string {
  let text = ''
  command.configureOutput({ writeOut: (more) => (text += more) })
  command.outputHelp()
  return text
}

const leaves = leavesOf(buildProgram())
const examples = leaves.flatMap(([name, command]) => {
  const [, shown = ''] = helpOf(command).split(/\nExamples?:\n/)
  return shown
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ name, line: line.trim() }))
})

await t.test('each example in the help is taken by the very command that shows it', async (t) => {
  t.ok(examples.length > 15)
  for (const { name, line } of examples) {
    const taken: string[] = []
    const program = buildProgram()
    for (const [words, command] of leavesOf(program)) command.exitOverride().action(() => void taken.push(words))
    const args = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!)
    t.equal(args.shift(), 'employee-ledger')
    await program.parseAsync(args, { from: 'user' })
    t.strictSame(taken, [name], line)
  }
})

/** What goes on until it is ended, and what writes a file or nothing but lines of progress. */
const WITHOUT_JSON = ['start', 'serve', 'work', 'audit export', 'demo seed']

await t.test('every command that prints a result prints it as JSON, too', (t) => {
  const without = leaves
    .filter(([, command]) => !command.options.some(({ long }) => long === '--json'))
    .map(([name]) => name)
  t.strictSame(without, WITHOUT_JSON)
  t.end()
})
