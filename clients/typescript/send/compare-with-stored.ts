import { readName } from '../../../src/spreadsheets/cells.ts'
import {
  type ComparedRecord,
  createFilter,
  findDifferences,
  isAsStored,
  MAX_COMPARED,
  spread,
} from '../../../src/spreadsheets/rows/stored-differences.ts'
import { DATE_ORDERS } from '../../../src/spreadsheets/mapping/mapping.ts'
import { PermissionError } from '../errors.ts'
import type { EmployeeClient } from '../employee-client.ts'
import { ignoreUnreadable } from './absent-managers.ts'
import { CommandError } from './exit-codes.ts'
import { doInTurns, type OpenedFile } from './open-file.ts'
import type { SendArguments } from './read-arguments.ts'

/** The records that are looked up one by one. If they are as stored, the others are. */
const LOOKED_UP = 20

/**
 * Refuses a file in which many records would change what is stored as hardly anybody means it: their dates get the day
 * and the month exchanged, or their ids are those of other people. The file alone doesn't tell. A key that must not read
 * people compares nothing, unless dates are open, or missing people are to be deactivated. Throws CommandError.
 */
export async function compareWithStored(
  client: EmployeeClient,
  file: OpenedFile,
  { path, atMost, choices: { answers } }: SendArguments,
  signal: AbortSignal,
): Promise<void> {
  const isAnswered = (name: string) => answers.some(({ about, column }) => about === 'dates' && column === name)
  const columns = (file.mapping?.columns ?? []).filter(({ to, header }) => to !== null && !isAnswered(readName(header)))
  const dates = file.doubted.filter((name) => columns.some(({ to }) => to === name))
  const records = await chooseRecords(file, dates)
  try {
    const some = spread(records, LOOKED_UP)
    if (dates.length === 0 && (await areAsStored(client, some, signal))) return
    const people: ComparedRecord[] = []
    const isNamed = createFilter(records)
    for await (const person of client.employees({}, { signal })) if (isNamed(person)) people.push(person)
    const differences = await doInTurns(findDifferences(records, people, dates))
    if (differences.length === 0) return
    const lines = differences.flatMap(({ reason, field, message }) => {
      const header = columns.find(({ to }) => to === field)?.header
      const what = `${path}: ${message[0]!.toLowerCase()}${message.slice(1)}`
      if (reason !== 'exchanged_dates' || header === undefined) return [`${what}. ${LOOK}`]
      return [`${what}. Answer with:`, `  --answer '${readName(header)}:dates=${DATE_ORDERS.join('|')}'`]
    })
    throw new CommandError('refused', lines.join('\n'))
  } catch (error) {
    if (error instanceof PermissionError && dates.length === 0 && atMost === null) return
    throw error
  }
}

const LOOK =
  'Nothing was sent. Correct the file; or upload it on the page Upload file, where an administrator can look at it and ' +
  'apply it'

/** Chooses some records evenly, and some that have open dates. */
async function chooseRecords(file: OpenedFile, dates: OpenedFile['doubted']): Promise<ComparedRecord[]> {
  const chosen: ComparedRecord[] = []
  const step = Math.ceil(file.count / MAX_COMPARED)
  let [at, dated] = [0, 0]
  for await (const { json } of file.read()) {
    const isEven = at % step === 0
    at += 1
    if (!isEven && (dates.length === 0 || dated >= MAX_COMPARED)) continue
    const record = JSON.parse(json) as ComparedRecord
    const isDated = dates.some((name) => typeof record[name] === 'string')
    if (isDated) dated += 1
    if (isEven || isDated) chosen.push(record)
  }
  return chosen
}

/** Looks records up. Returns false if somebody is not known, or seems to be somebody else. */
async function areAsStored(
  client: EmployeeClient,
  records: readonly ComparedRecord[],
  signal: AbortSignal,
): Promise<boolean> {
  for (const record of records) {
    const people: ComparedRecord[] = []
    for (const name of ['external_id', 'email'] as const) {
      const text = record[name]
      if (typeof text !== 'string' || text === '') continue
      const found = await client.list({ [name]: text }, { signal }).catch(ignoreUnreadable)
      if (found === null) return false
      people.push(...found.items)
    }
    if (!isAsStored(record, people)) return false
  }
  return true
}
