import type { Command } from 'commander'
import { buildProgram } from '../../../src/cli/program.ts'
import { ConfigSchema } from '../../../src/config.ts'

/** The rows that the table of settings must have, from the schema. */
export function settingsRows(): string[] {
  return Object.entries<Setting>(ConfigSchema.properties).map(([name, { default: preset, description }]) => {
    return `| \`${name}\` | ${preset === undefined ? 'unset' : `\`${preset}\``} | ${description ?? ''} |`
  })
}

interface Setting {
  default?: string | number
  description?: string
}

/** The rows that the table of commands must have, from the program itself: without options that may be left out. */
export function commandRows(): string[] {
  return leavesOf(buildProgram(), []).map(({ words, command }) => {
    const usage = [...words, ...usageOf(command)].join(' ')
    return `| \`${usage}\` | ${command.description()} |`
  })
}

function leavesOf(command: Command, words: string[]): { words: string[]; command: Command }[] {
  if (command.commands.length === 0) return [{ words, command }]
  return command.commands.flatMap((child) => leavesOf(child, [...words, child.name()]))
}

function usageOf(command: Command): string[] {
  const parameters = command.registeredArguments.map((argument) => {
    return argument.required ? `<${argument.name()}>` : `[${argument.name()}]`
  })
  return [...parameters, ...command.options.filter(({ mandatory }) => mandatory).map(({ flags }) => flags)]
}
