import { type FileSample, withoutNothing } from './column-samples.ts'
import type { Candidate } from './candidate.ts'
import { readName } from '../cells.ts'
import { proposeColumns } from './propose-columns.ts'
import { weighValues } from './weigh-values.ts'
import { hasOwnColumns, identifyColumn } from '../mapping/record-columns.ts'
import type { ColumnMapping, Mapping, Target } from '../mapping/mapping.ts'
import { isDate, locateColumns, MAX_FILE_WORDS, MAX_WORDS, USUAL_CHOICES } from '../mapping/mapping.ts'
import { proposeReading } from './propose-reading.ts'
import { isPrivate, isSecretHeader, recognizeHeader, simplify } from '../words/recognize-header.ts'
import type { Status } from '../words/status-words.ts'

/**
 * Proposes what the columns of a file mean, by their names, by the values in the sample, and by what columns say about
 * each other. `country` is null if nobody has said where local phone numbers are. What only a person can decide is left
 * open: see `listQuestions`. Works in pieces, as does the next function: it yields where something else may be done.
 */
export function* proposeMapping(
  header: readonly string[],
  sample: FileSample,
  country: Mapping['country'] = null,
): Generator<void, Mapping, void> {
  const isOwn = hasOwnColumns(header)
  const filled = withoutNothing(sample)
  const candidates: Candidate[] = []
  for (const [at, name] of header.entries()) {
    if (name === '') continue
    candidates.push(describe(name, at, filled, isOwn))
    yield
  }
  if (!isOwn) yield* proposeColumns(candidates, filled)
  yield
  const columns = candidates.map(({ header: name, to, likely }): ColumnMapping => ({
    header: name,
    to,
    ...(to === 'custom' ? { name: identifyColumn(name).name } : {}),
    ...(likely ? { likely } : {}),
  }))
  return yield* completeReadings({ ...USUAL_CHOICES, country, columns }, header, sample)
}

/** A column before its values are looked at. What the log or the API names becomes that. */
function describe(header: string, at: number, { columns, count }: FileSample, isOwn: boolean): Candidate {
  const sample = columns[at] ?? { values: new Map(), filled: 0 }
  const evidence = weighValues(sample, count)
  const { kind, name } = identifyColumn(header)
  const column = { at, header, sample, evidence, meaning: null, isExact: true }
  if (isSecretHeader(name) && !evidence.isFlag) return { ...column, to: 'nothing' }
  if (kind === 'origin' || kind === 'record') return { ...column, to: 'nothing' }
  if (kind === 'custom') return { ...column, to: 'custom' }
  // What the log has written is read as it is.
  if (isOwn) return { ...column, to: 'as_named' }
  // Other systems have ids, too.
  const isOurs = name !== 'id' || [...sample.values.keys()].every((value) => value.startsWith('emp_'))
  if (kind === 'field' && name !== 'status' && isOurs) return { ...column, to: name }
  const named = recognizeHeader(header)
  // Yes and no in a column such as "Block credential" may say who is locked out.
  if (named === 'never_store') return { ...column, isExact: false, to: 'nothing' }
  const known = named ?? (isPrivate(header) ? 'not_ours' : simplify(header) === 'id' ? 'id' : null)
  return { ...column, meaning: readName(header) === header ? known : null, isExact: false, to: 'nothing' }
}

/**
 * Fills in how the values of columns are read, where the mapping doesn't say, as the values in the sample tell. What they
 * don't tell is left open, and words that are new are asked.
 */
export function* completeReadings(
  mapping: Mapping,
  header: readonly string[],
  sample: FileSample,
): Generator<void, Mapping, void> {
  const isOwn = hasOwnColumns(header)
  const places = locateColumns(header, mapping.columns)
  const placed = mapping.columns.map((column, at) => ({
    ...column,
    at: places[at]!,
    sample: sample.columns[places[at]!] ?? { values: new Map<string, number>(), filled: 0 },
  }))
  const columns: ColumnMapping[] = []
  let left = MAX_FILE_WORDS
  for (const [at, column] of mapping.columns.entries()) {
    const given = { to: column.to, meaning: recognizeHeader(column.header), own: placed[at]!.sample }
    const reading = proposeReading({ ...given, candidates: placed, sample, isOwn })
    const words = reading.words && joinWords(reading.words, column.words ?? {}, left)
    columns.push({ ...reading, ...column, ...(words && { words }) })
    left -= Object.keys(words ?? {}).length
    yield
  }
  agreeOnDates(columns)
  return { ...mapping, columns }
}

/** What the dates of a file say about the order in which they were read before. */
export interface DoubtedDates {
  /** The mapping, in which the order is open again that the values of a column, or of another one, contradict. */
  mapping: Mapping
  /** What columns become whose values are dates in either order. */
  open: Target[]
}

/** Compares the values of dates with the order that somebody chose for an earlier file, or that its values proved. */
export function* doubtDates(
  remembered: Mapping,
  header: readonly string[],
  sample: FileSample,
): Generator<void, DoubtedDates, void> {
  const without = remembered.columns.map(({ dates: _dates, ...column }) => column)
  const { columns: fresh } = yield* completeReadings({ ...remembered, columns: without }, header, sample)
  const isOpen = ({ to, dates }: ColumnMapping, at: number) => isDate(to) && dates && fresh[at]!.dates === null
  const isOther = ({ to, dates }: ColumnMapping, at: number) =>
    isDate(to) && dates && fresh[at]!.dates && fresh[at]!.dates !== dates
  const columns = remembered.columns.map((column, at) => (isOther(column, at) ? { ...column, dates: null } : column))
  return { mapping: { ...remembered, columns }, open: columns.filter(isOpen).map(({ to }) => to!) }
}

type Words = NonNullable<ColumnMapping['words']>

/**
 * The words whose meaning is open come first, so that a column with too many words stays open. `left` is how many the
 * file may have besides those of earlier columns.
 */
function joinWords(found: Words, given: Words, left: number): Words {
  const isKnown = ([, status]: [string, Status | null]) => status !== null
  const all = Object.entries({ ...found, ...Object.fromEntries(Object.entries(given).filter(isKnown)) })
  const open = all.filter((entry) => !isKnown(entry))
  const most = Math.min(MAX_WORDS, Math.max(1, left))
  return Object.fromEntries([...open, ...all.filter(isKnown)].slice(0, most))
}

/** A program writes all of its dates alike. */
function agreeOnDates(columns: readonly ColumnMapping[]): void {
  const orders = new Set(columns.flatMap(({ dates }) => dates ?? []))
  const [order] = orders
  if (orders.size === 1 && order) for (const column of columns) if (column.dates === null) column.dates = order
}
