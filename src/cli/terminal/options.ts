import { InvalidArgumentError, Option } from 'commander'
import { readAttribute } from '../../domain/attributes.ts'
import type { IdPrefix } from '../../domain/ids.ts'
import { isId } from '../../domain/ids.ts'
import { readTimeZone } from '../../domain/accounts/time-zone.ts'

const MAX_EMAIL_CHARACTERS = 254

/** The exit code of wrong use, where 1 means something else. */
export const USAGE_ERROR = 2

/** A command is loaded when it runs: help, and what was mistyped, are answered without it. */
export function loadOnRun<Given extends unknown[]>(load: () => Promise<(...given: Given) => Promise<unknown>>) {
  return async (...given: Given): Promise<void> => {
    const run = await load()
    await run(...given)
  }
}

/** `--json`. */
export function jsonOption(): Option {
  return new Option('--json', 'print JSON')
}

/** `--yes`, for what cannot be undone. */
export function yesOption(): Option {
  return new Option('--yes', 'do not ask for confirmation; required without a terminal')
}

const MAX_SHARDS = 4_096

/** `--shards <number>`, into how many parts tables are cut. */
export function shardsOption(): Option {
  return new Option('--shards <number>', 'number of shards per table, and so the largest number of machines')
    .argParser(parseWholeNumber(MAX_SHARDS, 1))
    .default(32)
}

/** `--company <id>`, which must be given. */
export function companyOption(): Option {
  return idOption('company', 'com', 'the id of the company')
}

/** `--NAME <id>`, which must be given: an id with this prefix. */
export function idOption(name: string, prefix: IdPrefix, description: string): Option {
  return new Option(`--${name} <id>`, description).makeOptionMandatory().argParser((value) => {
    if (!isId(prefix, value)) throw new InvalidArgumentError(`It must be an id that begins with ${prefix}_`)
    return value
  })
}

/** Reads a text, trimmed, of 1 to so many characters. */
export function parseText(max: number): (value: string) => string {
  return (value) => {
    const trimmed = value.trim()
    if (trimmed.length > 0 && trimmed.length <= max) return trimmed
    throw new InvalidArgumentError(`It must have 1 to ${max} characters.`)
  }
}

/** Reads an e-mail address, normalised. */
export function parseEmail(value: string): string {
  const { value: address, faults } = readAttribute('email', value.trim(), false)
  if (!faults) return address as string
  throw new InvalidArgumentError(`It must be an e-mail address of at most ${MAX_EMAIL_CHARACTERS} characters.`)
}

/** Reads a whole number from `min` to `max`. */
export function parseWholeNumber(max: number, min = 0): (value: string) => number {
  return (value) => {
    if (/^[0-9]{1,16}$/.test(value) && Number(value) >= min && Number(value) <= max) return Number(value)
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`)
  }
}

/** Reads the IANA name of a time zone. */
export function parseTimeZone(value: string): string {
  const name = readTimeZone(value.trim())
  if (name !== null) return name
  throw new InvalidArgumentError('It must be the IANA name of a time zone, such as Europe/Berlin.')
}
