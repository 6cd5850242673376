import { appendFileSync } from 'node:fs'
import { InvalidArgumentError, Option } from 'commander'
import { parseWholeNumber } from '../../src/cli/terminal/options.ts'

/* The options that the commands for developers share. */

// fast-check's seeds are signed 32-bit integers, and runs count up from the first one.
const MAX_SEED = 2_000_000_000

/** `--NAME <number>`: a whole number from 1 to `max`. */
export function countOption(name: string, max: number, description: string): Option {
  return new Option(`--${name} <number>`, description).argParser(parseWholeNumber(max, 1))
}

/** `--seed <number>`. */
export function seedOption(description: string): Option {
  return new Option('--seed <number>', description).argParser(parseWholeNumber(MAX_SEED)).default(1)
}

/** `--out <file>`: a file that is written at the end, or after each run. */
export function outOption(description: string): Option {
  return new Option('--out <file>', description).argParser(parseWritable)
}

/** Parses a file that can be written: hours of runs would be lost if it turned out later that it can't. */
function parseWritable(file: string): string {
  try {
    appendFileSync(file, '')
    return file
  } catch {
    throw new InvalidArgumentError('It must be a file that can be written.')
  }
}
