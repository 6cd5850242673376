import { type Command, InvalidArgumentError, Option } from 'commander'
import { MAX_EMAIL_CHARACTERS, readEmailAddress } from '#domain/attributes'
import { isId, type IdPrefix } from '#domain/ids'
import { isCalendarDate } from '#domain/local-times'
import { readNetwork } from '#domain/networks'
import { readTimeZone, readCountry } from '#domain/accounts/company-settings'
import { nameCompany } from './named-company.ts'
import { print } from './print.ts'
import { trimBlanks } from '#text/normalize-text'

/** The exit code of wrong usage: 1 is that of a command that fails. */
export const USAGE_ERROR = 2

/** Exits with it, for `exitOverride`. */
export function exitWrongUsage({ exitCode }: { exitCode: number }): never {
  process.exit(exitCode === 0 ? 0 : USAGE_ERROR)
}

type Run = (...given: never[]) => Promise<object | void>

/** The names of a module's functions that commands can run. */
type Runs<Module> = { [Name in keyof Module]: Module[Name] extends Run ? Name : never }[keyof Module]

type AddCommand<Module> = (name: string, description: string, run: Runs<Module>) => Command

/**
 * Returns a function that adds a command, which runs a function of a module and prints what it returns. The module is
 * loaded when the command runs, so that help and usage errors are fast.
 */
export function commandsIn<Module>(parent: Command, load: () => Promise<Module>): AddCommand<Module> {
  return (name, description, run) =>
    parent
      .command(name)
      .description(description)
      .action(async function (this: Command, ...given: unknown[]) {
        nameCompany(this.opts<{ company?: string }>().company)
        // commander does not know the types of options.
        const action = (await load())[run] as (...given: unknown[]) => Promise<object | void>
        const returned = await action(...given)
        if (returned !== undefined) print(returned, this.opts()['json'] === true)
      })
}

/** The same for commands that all need a company. */
export function companyCommandsIn<Module>(parent: Command, load: () => Promise<Module>): AddCommand<Module> {
  const addCommand = commandsIn(parent, load)
  return (name, description, run) => addCommand(name, description, run).addOption(companyOption())
}

/** The commands that print no result. */
const WITHOUT_RESULT = ['start', 'serve', 'work', 'audit export', 'demo seed', 'completion']

/** Adds `--json` to all commands that print a result, below their other options. */
export function addJsonOptions(program: Command, words: string[] = []) {
  for (const command of program.commands) {
    const path = [...words, command.name()]
    if (command.commands.length > 0) addJsonOptions(command, path)
    else if (!WITHOUT_RESULT.includes(path.join(' '))) command.option('--json', 'print JSON')
  }
}

/** `--yes`, for commands that cannot be undone. */
export function yesOption() {
  return new Option('--yes', 'do not ask for confirmation; required without a terminal')
}

/** `--dry-run`. */
export function dryRunOption() {
  return new Option('--dry-run', 'print what would be done, and do nothing')
}

/** `--out <file>`. */
export function outOption() {
  return new Option(
    '--out <file>',
    'the file to write, compressed if its name ends in `.gz` (default: standard output)',
  )
}

const MAX_SHARDS = 4_096

/** `--shards <number>`. */
export function shardsOption() {
  return new Option('--shards <number>', 'shards per table, which is also the maximum number of machines')
    .argParser(parseWholeNumber(MAX_SHARDS, 1))
    .default(32)
}

/** `--company <id>`, required. */
export function companyOption() {
  return idOption('company', 'com', 'the id of the company')
}

/** `--NAME <id>`, required: an id with this prefix. */
export function idOption(name: string, prefix: IdPrefix, description: string) {
  return new Option(`--${name} <id>`, description).makeOptionMandatory().argParser(parseId(prefix))
}

/** Makes a parser. commander refuses a value that is not read, with the rule. */
function parserOf<Value>(read: (value: string) => Value | null | undefined, rule: string): (value: string) => Value {
  return (value) => {
    const parsed = read(value)
    if (parsed !== null && parsed !== undefined) return parsed
    throw new InvalidArgumentError(`It must ${rule}.`)
  }
}

/** Parses an id with this prefix. */
export function parseId(prefix: IdPrefix): (value: string) => string {
  return parserOf((value) => (isId(prefix, value) ? value : null), `be an id that starts with ${prefix}_`)
}

/** Parses and trims a text of 1 to `max` characters. */
export function parseText(max: number): (value: string) => string {
  const read = (trimmed: string) => (trimmed.length > 0 && trimmed.length <= max ? trimmed : null)
  return parserOf((value) => read(trimBlanks(value)), `have 1 to ${max} characters`)
}

/** Parses and normalizes an email address. */
export const parseEmail = parserOf(
  (value) => readEmailAddress(value).value,
  `be an email address of at most ${MAX_EMAIL_CHARACTERS} characters`,
)

/** Parses a whole number from `min` to `max`. */
export function parseWholeNumber(max: number, min = 0): (value: string) => number {
  const read = (number: number) => (number >= min && number <= max ? number : null)
  const parse = (value: string) => (/^[0-9]{1,16}$/.test(value) ? read(Number(value)) : null)
  return parserOf(parse, `be a whole number from ${min} to ${max}`)
}

const TIME = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/i

function readTime(value: string) {
  const [, day] = TIME.exec(value) ?? []
  const isTime = day !== undefined && isCalendarDate(day) && !Number.isNaN(Date.parse(value))
  return isTime ? new Date(value).toISOString() : null
}

/** Parses a time with its offset from UTC (RFC 3339). */
export const parseTime = parserOf(readTime, 'be a time such as 2027-01-31T18:00:00Z')

/** Parses a time, or `never`: commander does not let a parser return null. */
export const parseTimeOrNever = parserOf(
  (value) => (value === 'never' ? value : readTime(value)),
  'be never, or a time such as 2027-01-31T18:00:00Z',
)

/** Parses one of several networks, and adds it to those before it; `any` is no network at all. */
export function parseNetwork(value: string, before?: string[]) {
  const isAlone = before === undefined
  if (value === 'any' && isAlone) return []
  const { error } = readNetwork(value)
  if (error !== undefined) throw new InvalidArgumentError(`It ${error}.`)
  if (before?.length === 0) throw new InvalidArgumentError('any must stand alone.')
  return [...(before ?? []), value]
}

/** Parses the IANA name of a time zone. */
export const parseTimeZone = parserOf(
  (value) => readTimeZone(trimBlanks(value)),
  'be the IANA name of a time zone, such as Europe/Berlin',
)

const parseCode = parserOf(readCountry, 'be an ISO 3166-1 alpha-2 code, such as DE, or none')

/** Parses the code of a country; null for `none`. */
export function parseCountry(value: string): string | null {
  return trimBlanks(value) === 'none' ? null : parseCode(value)
}
