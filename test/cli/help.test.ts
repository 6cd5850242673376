import type { Command } from 'commander'
import t from 'tap'
import { RUN_AS } from '../../src/cli/examples.ts'
import { buildProgram } from '../../src/cli/program.ts'

/** The executable commands, by what is typed. */
function leavesOf(command: Command, words: string[] = []): [string, Command][] {
  if (command.commands.length === 0) return [[words.join(' '), command]]
  return command.commands.flatMap((child) => leavesOf(child, [...words, child.name()]))
}

/** A command's help, including the text below the options. */
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

await t.test('every example in the help is accepted by its command', async (t) => {
  t.ok(examples.length > 15)
  for (const { name, line } of examples) {
    const taken: string[] = []
    const program = buildProgram()
    for (const [words, command] of leavesOf(program)) command.exitOverride().action(() => void taken.push(words))
    t.ok(line.startsWith(`${RUN_AS} `), 'it names a command that exists')
    const args = [...line.slice(RUN_AS.length).matchAll(/'([^']*)'|(\S+)/g)].map(
      ([, quoted, plain]) => quoted ?? plain!,
    )
    await program.parseAsync(args, { from: 'user' })
    t.strictSame(taken, [name], line)
  }
})

/** Commands that run until they are stopped, and those that write a file or only progress. */
const WITHOUT_JSON = ['start', 'serve', 'work', 'audit export', 'demo seed', 'completion']

await t.test('every command that prints a result can print it as JSON', (t) => {
  const without = leaves
    .filter(([, command]) => !command.options.some(({ long }) => long === '--json'))
    .map(([name]) => name)
  t.strictSame(without, WITHOUT_JSON)
  t.end()
})
