import { collectSamples } from '../../../../src/spreadsheets/proposals/column-samples.ts'
import { ENCODINGS, type Encoding } from '../../../../src/spreadsheets/encodings/encodings.ts'
import { FileError } from '../../../../src/spreadsheets/file-error.ts'
import { type FileAnswers, FileQuestion, UNANSWERED } from '../../../../src/spreadsheets/formats/file-question.ts'
import { RowCounts } from '../../../../src/spreadsheets/rows/count-rows.ts'
import { createNotes, HEADING_COLUMN } from '../../../../src/spreadsheets/tables/find-table.ts'
import {
  listQuestions,
  locateColumns,
  type Mapping,
  type Question,
} from '../../../../src/spreadsheets/mapping/mapping.ts'
import { openContent } from '../../../../src/spreadsheets/formats/open-content.ts'
import { planRows } from '../../../../src/spreadsheets/rows/plan-rows.ts'
import { completeReadings, proposeMapping } from '../../../../src/spreadsheets/proposals/propose-mapping.ts'
import type { FileRow } from '../../../../src/spreadsheets/tables/file-row.ts'
import { openRows } from '../../../../src/spreadsheets/rows/read-records.ts'
import { trimBlanks } from '../../../../src/text/normalize-text.ts'
import { doAtOnce } from '../../../../src/domain/pieces.ts'
import { type ListedPerson, TODAY } from './draw-people.ts'
import type { KnownColumn, WrittenList } from './write-list.ts'

/* Loads a random list with the proposal and the answers of somebody who knows its system, and nothing corrected. */

export const OUTCOMES = ['right', 'right_asked', 'incomplete', 'leavers_wrong', 'refused', 'silently_wrong'] as const
export type Outcome = (typeof OUTCOMES)[number]

export interface Loaded {
  outcome: Outcome
  /** What is not right, for people who look for the reason. */
  why: string[]
  questions: string[]
}

/** A person as the service would store one. */
type Stored = Record<string, string | number | boolean | null | undefined>

/** Loads a list and says how that went. */
export async function loadList(list: WrittenList): Promise<Loaded> {
  const questions: string[] = []
  try {
    const rows = await readRows(list, questions)
    const [header, ...records] = rows
    if (!header) return { outcome: 'refused', why: ['no header'], questions }
    const { mapping, faults, people } = answerAll(header, records, list, questions)
    return { ...judge(list, people, faults, mapping, questions), questions }
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    return { outcome: 'refused', why: [error.message], questions }
  }
}

async function readRows(list: WrittenList, questions: string[]): Promise<FileRow[]> {
  const read = async (answers: FileAnswers) => {
    async function* chunks() {
      yield list.bytes
    }
    const content = await openContent(chunks, answers)
    if (content.kind !== 'table') throw new FileError(1, 'no table')
    const rows: FileRow[] = []
    for await (const some of content.read(createNotes())) rows.push(...some)
    return rows
  }
  try {
    return await read(UNANSWERED)
  } catch (error) {
    if (!(error instanceof FileQuestion)) throw error
    questions.push(error.parameter)
    const encoding = Object.keys(ENCODINGS).find((name) => name === list.encoding) as Encoding
    return read({ ...UNANSWERED, encoding })
  }
}

/** The rounds of questions: what somebody answers may raise another one. */
const MAX_ROUNDS = 5

function answerAll(header: FileRow, rows: readonly FileRow[], list: WrittenList, questions: string[]) {
  const samples = collectSamples(header.cells.length)
  for (const { cells } of rows) samples.add(cells)
  let mapping = doAtOnce(proposeMapping(header.cells, samples.sample))
  for (let round = 0; ; round += 1) {
    const file = openRows(header, mapping, TODAY)
    const plan = doAtOnce(planRows(rows.map(file.readKeys), mapping, (line) => `line ${line}`))
    const { plans, order } = plan
    const counts = new RowCounts(header.cells, mapping, TODAY)
    for (const { cells } of rows) counts.add(cells)
    // Nobody is in the company before.
    mapping = counts.finish(plan, { absent: plan.absent.length, linkable: 0 })
    const asked = listQuestions(mapping)
    if (asked.length === 0 || round === MAX_ROUNDS) {
      const faults = file.faults.map(({ message }) => message)
      const people: Stored[] = []
      const absent = new Set(plan.absent)
      for (const at of order.filter((row) => plans.get(row)?.repeats === undefined)) {
        const read = file.read(rows[at]!, plans.get(at))
        faults.push(...read.faults.map(({ line, message }) => `${line}: ${message}`))
        if (read.faults.length > 0 || file.faults.length > 0) continue
        const record = trimTexts(JSON.parse(read.json) as Stored)
        if (absent.has(at) && mapping.unknown_managers === 'leave_out') {
          delete record['manager_external_id']
          delete record['manager_email']
        }
        const refusal = refuse(record)
        if (refusal === null) people.push(record)
        else faults.push(`${rows[at]!.line}: ${refusal}`)
      }
      return { mapping, faults, people }
    }
    questions.push(...asked.map((question) => describe(question, mapping, header, list)))
    mapping = doAtOnce(completeReadings(answer(mapping, header, list), header.cells, samples.sample))
  }
}

/** What a question is about, and, of a column, what the column is. */
function describe(question: Question, { columns }: Mapping, { cells }: FileRow, list: WrittenList): string {
  if (!('column' in question)) return question.about
  const place = locateColumns(cells, columns)[question.column - 1]!
  return `${question.about} of ${list.columns[place]?.to ?? 'nothing'}: ${question.likely ?? '?'} +${question.others?.length ?? 0}`
}

/** As the service does. */
function trimTexts(record: Stored): Stored {
  const trim = (value: Stored[string]) => (typeof value === 'string' ? trimBlanks(value) : value)
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, trim(value)]))
}

/** Why the service would refuse a record; null if it would not. */
function refuse(record: Stored): string | null {
  const isNone = (name: string) => (record[name] ?? '') === ''
  if (isNone('first_name') && isNone('last_name')) return 'no name'
  if (isNone('email') && isNone('external_id')) return 'nobody is identified'
  return !isNone('email') && !/^[^@\s]+@[^@\s]+$/.test(String(record['email'])) ? 'no address' : null
}

/** Answers what is open as somebody who knows the list. */
function answer(mapping: Mapping, header: FileRow, list: WrittenList): Mapping {
  const places = locateColumns(header.cells, mapping.columns)
  const hasStatus = list.columns.some((column) => column?.to === 'status')
  const columns = mapping.columns.map((column, at) => {
    const place = places[at]!
    const known: KnownColumn | undefined = column.header === HEADING_COLUMN ? list.headings : list.columns[place]
    if (column.to === null) return { header: column.header, to: (known?.to ?? 'nothing') as 'nothing' }
    const open = Object.entries(column.words ?? {}).map(([word, status]) => [
      word,
      status ?? known?.words?.[word] ?? 'active',
    ])
    return {
      ...column,
      ...(column.dates === null ? { dates: (known?.dates ?? 'day_first') as 'day_first' } : {}),
      ...(column.names === null ? { names: (known?.names ?? 'first_last') as 'first_last' } : {}),
      ...(column.clock === null ? { clock: 'ignore' as const } : {}),
      ...(column.calendar === null ? { calendar: 'gregorian' as const } : {}),
      ...(column.by === null ? { by: (known?.by ?? 'full_name') as 'full_name' } : {}),
      ...(open.length > 0 ? { words: Object.fromEntries(open) } : {}),
    }
  })
  return {
    ...mapping,
    columns,
    past_end_dates: mapping.past_end_dates ?? (hasStatus ? 'keep' : 'deactivate'),
    country: mapping.country ?? list.country,
    unknown_managers: mapping.unknown_managers ?? 'leave_out',
  }
}

const ATTRIBUTES = [
  'first_name',
  'last_name',
  'email',
  'external_id',
  'phone',
  'job_title',
  'department',
  'location',
  'start_date',
  'termination_date',
] as const

function judge(
  { people }: WrittenList,
  stored: readonly Stored[],
  faults: readonly string[],
  mapping: Mapping,
  questions: readonly string[],
): Pick<Loaded, 'outcome' | 'why'> {
  const [wrong, missing, leavers]: [string[], string[], string[]] = [[], [], []]
  const keyOf = ({ external_id: id, email }: { external_id?: unknown; email?: unknown }) =>
    String(id ?? email).toLowerCase()
  const find = (person: ListedPerson) =>
    stored.find((one) => (one['email'] ?? null) !== null && String(one['email']).toLowerCase() === person.email) ??
    stored.find((one) => one['external_id'] !== undefined && one['external_id'] === person.external_id)
  const found = new Set<Stored>()
  for (const person of people) {
    const one = find(person)
    if (!one) {
      missing.push(`${keyOf(person)} is missing`)
      continue
    }
    found.add(one)
    for (const name of ATTRIBUTES) {
      const [wanted, got] = [person[name], one[name] ?? undefined]
      const isSame = name === 'email' ? String(got ?? '').toLowerCase() === (wanted ?? '') : got === wanted
      if (isSame) continue
      if (got === undefined) missing.push(`${name} of ${keyOf(person)}: ${wanted}`)
      else if (!isSameName(name, wanted, got))
        wrong.push(`${name} of ${keyOf(person)}: ${String(got)} instead of ${wanted}`)
    }
    if ((one['status'] ?? 'active') !== person.status) leavers.push(`${keyOf(person)} is not ${person.status}`)
    const manager = person.manager === null ? undefined : people[person.manager]!
    const named = one['manager_external_id'] ?? one['manager_email']
    const isManager =
      [manager?.external_id, manager?.email].includes(named === undefined ? undefined : String(named).toLowerCase()) ||
      named === manager?.external_id
    if (!isManager && named === undefined) missing.push(`manager of ${keyOf(person)}`)
    else if (!isManager && (manager !== undefined || !/999|zed/i.test(String(named))))
      wrong.push(`manager of ${keyOf(person)}: ${String(named)}`)
  }
  for (const one of stored) if (!found.has(one)) wrong.push(`${JSON.stringify(one)} is nobody`)
  const why = [...wrong, ...leavers, ...missing, ...faults.slice(0, 3), JSON.stringify(mapping.columns)]
  if (wrong.length > 0) return { outcome: 'silently_wrong', why }
  if (found.size === 0 || faults.length > 0) return { outcome: 'refused', why }
  if (leavers.length > 0) return { outcome: 'leavers_wrong', why }
  if (missing.length > 0) return { outcome: 'incomplete', why }
  return { outcome: questions.length > 0 ? 'right_asked' : 'right', why: [] }
}

/** Last names in capitals stay as they are written. */
function isSameName(name: string, wanted: unknown, got: unknown): boolean {
  return name === 'last_name' && String(got) === String(wanted).toLocaleUpperCase('en')
}
