import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { MAX_RECORDS } from '../batches.ts'
import { type Encoding, readEncoding, UNREADABLE_ENCODING } from '../../../src/spreadsheets/encodings/encodings.ts'
import type { FileAnswers } from '../../../src/spreadsheets/formats/file-question.ts'
import { readAnswer } from './answers.ts'
import { type Choices, type ColumnUse, readMappingFile } from './choose-mapping.ts'
import { isPhoneCountry } from '../../../src/spreadsheets/values/read-phone.ts'
import { usageError } from './exit-codes.ts'

export const HELP = `Usage: employee-ledger-client send FILE [options]

Sends the employees in a CSV or JSON file to the service, in as many calls as needed. If a run is stopped, repeat the
same command to continue it: nothing is applied twice.

Options:
  --url URL           the address of the service (or API_URL in the environment)
  --id ID             the API id (or API_ID)
  --key-file FILE     a file with the API key (or the key itself in API_KEY)
  --update            only update employees; by default, those who are not found are created
  --link-by-email     give the external ids in the file to people who have none, found by email
  --map FILE          what the columns mean: a mapping from --save-map, or from the page of an uploaded file
  --save-map FILE     write what the columns mean, as is proposed; what is open is null. Nothing is sent
  --answer ANSWER     answer a question, such as 'Joined:dates=day_first' (repeatable; questions name their answers)
  --country CODE      the country of local phone numbers, such as DE
  --custom COLUMN     use a column as a custom attribute (repeatable)
  --ignore COLUMN     don't use a column (repeatable)
  --partly            apply every record that can be applied, and list the others
  --deactivate-missing --at-most N
                      deactivate the active people who are not in the file, unless they are more than N
  --encoding NAME     the encoding of the file, such as windows-1250 (default: it is recognized)
  --sheet NAME        the sheet of a workbook (default: the one that has a table)
  --header-row N      the line that names the columns (default: it is found)
  --dry-run           show what the file would do, and apply nothing
  --state FILE        where to keep how far the run has come (default: FILE.send-state.json)
  --max-records N     the records in a call (default: ${MAX_RECORDS})
  --help              show this help
  --version           show the version

Exit codes: 0 all applied, 1 the file or some of its records were refused, 2 wrong usage, settings, or key, 3 not
finished: run the same command again, 130 interrupted.
`

/** What to send where. */
export interface SendArguments {
  path: string
  url: string
  apiId: string
  apiKey: string
  operation: 'upsert' | 'update'
  /** What the columns mean, as far as somebody says it. */
  choices: Choices
  /** Where to write what the columns mean, instead of sending anything; null for nowhere. */
  savedMapPath: string | null
  /** Whether records that are refused keep the others of their call from being applied. */
  allOrNone: boolean
  /** Whether people without an external id are found by email, and get the one in the file. */
  linkByEmail: boolean
  /** How many people may be deactivated because they are not in the file; null if that is no reason. */
  atMost: number | null
  answers: FileAnswers
  isDryRun: boolean
  statePath: string
  maxRecords: number
}

const OPTIONS = {
  url: { type: 'string' },
  id: { type: 'string' },
  'key-file': { type: 'string' },
  update: { type: 'boolean', default: false },
  map: { type: 'string' },
  'save-map': { type: 'string' },
  answer: { type: 'string', multiple: true, default: [] as string[] },
  country: { type: 'string' },
  custom: { type: 'string', multiple: true, default: [] as string[] },
  ignore: { type: 'string', multiple: true, default: [] as string[] },
  partly: { type: 'boolean', default: false },
  'link-by-email': { type: 'boolean', default: false },
  'deactivate-missing': { type: 'boolean', default: false },
  'at-most': { type: 'string' },
  encoding: { type: 'string' },
  sheet: { type: 'string' },
  'header-row': { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  state: { type: 'string' },
  'max-records': { type: 'string', default: String(MAX_RECORDS) },
  help: { type: 'boolean', default: false },
  version: { type: 'boolean', default: false },
} as const

/**
 * Reads the command line; what it prints instead if it asks for help or the version. The key is no argument, because `ps`
 * shows arguments.
 */
export function readArguments(args: string[], env: NodeJS.ProcessEnv): SendArguments | string {
  const { values, positionals } = parse(args)
  if (values.help || (args.length === 0 && positionals.length === 0)) return HELP
  if (values.version) return `${readVersion()}\n`
  const [command, path, ...others] = positionals
  if (command !== 'send') throw usageError(`the command is send, not ${command ?? 'missing'}`)
  if (values.update && values['link-by-email']) throw usageError('--link-by-email is not for --update')
  if (path === undefined || others.length > 0) throw usageError('name one file')
  return {
    path,
    url: readUrl(values.url ?? env['API_URL']),
    apiId: required(values.id ?? env['API_ID'], 'name the API id with --id, or in API_ID'),
    apiKey: readKey(values['key-file'], env),
    operation: values.update ? 'update' : 'upsert',
    choices: {
      mapping: values.map === undefined ? null : readMappingFile(values.map),
      country: readCountry(values.country),
      uses: new Map([
        ...values.custom.map((column): [string, ColumnUse] => [column, 'custom']),
        ...values.ignore.map((column): [string, ColumnUse] => [column, 'ignore']),
      ]),
      answers: values.answer.map(readAnswer),
    },
    savedMapPath: values['save-map'] ?? null,
    allOrNone: !values.partly,
    linkByEmail: values['link-by-email'],
    atMost: readAtMost(values['deactivate-missing'], values['at-most']),
    answers: {
      encoding: readEncodingName(values.encoding),
      sheet: values.sheet ?? null,
      headerLine: values['header-row'] === undefined ? null : readNumber('--header-row', values['header-row']),
    },
    isDryRun: values['dry-run'],
    statePath: values.state ?? `${path}.send-state.json`,
    maxRecords: readNumber('--max-records', values['max-records']),
  }
}

/** The version of the package, whose sources and built files are at different depths. */
function readVersion(): string {
  const manifest = import.meta.url.includes('/dist/clients/') ? '../../../../package.json' : '../package.json'
  return (JSON.parse(readFileSync(new URL(manifest, import.meta.url), 'utf8')) as { version: string }).version
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true })
  } catch (error) {
    throw usageError((error as Error).message)
  }
}

/** Without blanks around it, such as the carriage return of a file that Windows wrote. */
function required(value: string | undefined, message: string): string {
  const text = value?.trim() ?? ''
  if (text === '') throw usageError(message)
  return text
}

function readNumber(option: string, text: string): number {
  if (!/^[1-9][0-9]{0,5}$/.test(text)) throw usageError(`${option} must be a number from 1`)
  return Number(text)
}

function readAtMost(isDeactivating: boolean, atMost: string | undefined): number | null {
  if (isDeactivating !== (atMost !== undefined)) throw usageError('give --deactivate-missing and --at-most together')
  return atMost === undefined ? null : readNumber('--at-most', atMost)
}

function readEncodingName(name: string | undefined): Encoding | null {
  const encoding = name === undefined ? null : readEncoding(name)
  if (name !== undefined && encoding === null) throw usageError(`the encoding ${name} ${UNREADABLE_ENCODING}`)
  return encoding
}

function readCountry(code: string | undefined): string | null {
  if (code !== undefined && !isPhoneCountry(code))
    throw usageError('--country must be the code of a country, such as DE')
  return code ?? null
}

function readUrl(given: string | undefined): string {
  const url = required(given, 'name the address of the service with --url, or in API_URL')
  const { protocol } = URL.canParse(url) ? new URL(url) : {}
  if (protocol !== 'https:' && protocol !== 'http:') throw usageError('the address must be an http or https URL')
  return url.replace(/\/+$/, '')
}

function readKey(path: string | undefined, env: NodeJS.ProcessEnv): string {
  if (path === undefined) return required(env['API_KEY'], 'pass the API key in API_KEY, or its file with --key-file')
  try {
    return required(readFileSync(path, 'utf8'), `the file ${path} is empty`)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw code === undefined ? error : usageError(`cannot read the key file ${path}: ${code}`)
  }
}
