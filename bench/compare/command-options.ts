import type { Command } from 'commander'
import { InvalidArgumentError, Option } from 'commander'
import { ConfigSchema } from '../../src/config.ts'
import { RESULTS_DIR } from '../report/results.ts'
import { DEFAULT_PARENT_DIR } from '../processes/postgres.ts'

/** The options of every command. */
export interface RunOptions {
  out: string
  dataDir: string
}

export function addRunOptions(command: Command): Command {
  return command
    .option('--out <folder>', 'folder for the results', RESULTS_DIR)
    .option('--data-dir <folder>', 'folder for the temporary database', DEFAULT_PARENT_DIR)
}

const MAX_RECORDS = ConfigSchema.properties.MAX_RECORDS.default

/** `--records`, for commands that make bulk calls. */
export function recordsOption(): Option {
  return new Option('--records <n>', `records of a bulk call, at most ${MAX_RECORDS}`)
    .default(1_000)
    .argParser((text) => {
      const records = parseCount(text)
      if (records > MAX_RECORDS) throw new InvalidArgumentError(`it must be at most ${MAX_RECORDS}`)
      return records
    })
}

export function parsePositive(text: string): number {
  const value = Number(text)
  if (!(value > 0)) throw new InvalidArgumentError('it must be a number above 0')
  return value
}

export function parseCount(text: string): number {
  const value = parsePositive(text)
  if (!Number.isInteger(value)) throw new InvalidArgumentError('it must be a whole number')
  return value
}

export function parseCounts(text: string): number[] {
  return text.split(',').map(parseCount)
}

/** Parses a comma-separated list of these names. */
export function parseNames<Name extends string>(names: readonly Name[]): (text: string) => Name[] {
  return (text) =>
    text.split(',').map((word) => {
      const name = names.find((one) => one === word)
      if (name === undefined) throw new InvalidArgumentError(`choose from ${names.join(',')}`)
      return name
    })
}

/** Prints to standard error, because standard output has the results. */
export function printProgress(line: string): void {
  process.stderr.write(`${line}\n`)
}
