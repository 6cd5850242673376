import type { PartlyApplied, UpdatedEmployees, UpsertedEmployees } from '../api-schemas.ts'
import { cutBatches } from '../batches.ts'
import type { BulkOptions, EmployeeClient } from '../employee-client.ts'
import { EmployeeLedgerError } from '../errors.ts'
import { JsonText } from '../json-text.ts'
import {
  describeErrors,
  describeProgress,
  explainFailure,
  formatNumber,
  isAboutRecords,
  MAX_SHOWN,
} from './explain-failure.ts'
import { CommandError } from './exit-codes.ts'
import { deactivateMissing, listMissing } from './deactivate-missing.ts'
import type { FileRecord, OpenedFile } from './open-file.ts'
import type { SendArguments } from './read-arguments.ts'
import { showProgress } from './show-progress.ts'
import { type RunState, type Totals, beginRun, createState, endRun, keepAnswer, writeState } from './state-file.ts'

/** Where the command writes. */
interface Output {
  /** The result. */
  result(line: string): void
  /** Progress and errors. */
  stream: NodeJS.WriteStream
}

/** Sends a file, going on where the same run was stopped. Throws CommandError, or the reason of the signal. */
export async function sendFile(
  client: EmployeeClient,
  file: OpenedFile,
  given: SendArguments,
  output: Output,
  signal: AbortSignal,
): Promise<void> {
  const args = { ...given, ...switchesOf(file, given) }
  const { path, statePath, operation, answers, url, apiId, maxRecords } = args
  const facts = [
    file.hash,
    operation,
    file.mapping,
    url,
    apiId,
    maxRecords,
    ...(args.allOrNone ? [] : ['partly']),
    ...(args.linkByEmail ? ['link by email'] : []),
    ...Object.values(answers).filter((answer) => answer !== null),
  ]
  const state = await beginRun(statePath, createState(facts))
  if (state.applied > 0) output.stream.write(`${path}: continuing after ${formatNumber(state.applied)} records\n`)
  const progress = showProgress('sent', file.count, state.applied, output.stream)
  const refusals = new Refusals()
  try {
    for await (const { first, records, key: idempotencyKey } of cutCalls(file, args, state)) {
      const call = { path, file, first, records }
      try {
        const answer = await send(client, args, records, { idempotencyKey, signal })
        state.totals = addAnswer(state.totals, answer)
        refusals.add(errorsOf(answer), call)
      } catch (error) {
        if (!(error instanceof EmployeeLedgerError)) throw error
        if (!args.allOrNone && isAboutRecords(error)) {
          state.totals = addRefused(state.totals, records.length)
          refusals.add(error.errors, call)
        } else {
          await keepAnswer(statePath, state, error)
          throw explainFailure(error, path, describeProgress(error, call), describeErrors(error.errors, call))
        }
      }
      state.applied = first + records.length
      await writeState(statePath, state)
      progress.show(state.applied)
    }
  } finally {
    progress.finish()
    if (refusals.lines.length > 0) output.stream.write(`${refusals.lines.join('\n')}\n`)
  }
  const { totals } = state
  const missing =
    args.atMost === null ? null : await deactivateMissing({ client, file, args, state, stream: output.stream, signal })
  await endRun(statePath)
  const refused = describeRefused(totals, file)
  const counts = args.allOrNone ? describe(totals) : `${describe(totals)}, ${refused}`
  const left = missing ? `; ${formatNumber(missing.deactivated)} not in the file deactivated` : ''
  output.result(`${path}: ${formatNumber(file.count)} records sent: ${counts}${left}`)
  showKept(file, args, totals, output.stream)
  const isWhole = (totals.refused ?? 0) + file.unreadable.count === 0
  const reasons = [...(isWhole ? [] : [refused]), ...(missing?.refusals ?? [])]
  if (reasons.length > 0) throw new CommandError('refused', reasons.map((text) => `${path}: ${text}`).join('\n'))
}

const FIELDS_SHOWN = 5

/** Says which fields keep their values where cells are empty, unless the user has chosen what these do. */
function showKept(
  { clearable }: OpenedFile,
  { path, choices: { mapping } }: SendArguments,
  totals: Totals,
  stream: Output['stream'],
) {
  if (mapping || clearable.length === 0 || totals.changed + totals.unchanged === 0) return
  const more = clearable.length > FIELDS_SHOWN ? ` and ${clearable.length - FIELDS_SHOWN} more columns` : ''
  const shown = clearable.slice(0, FIELDS_SHOWN).join(', ')
  stream.write(
    `${path}: empty cells of ${shown}${more} keep what people have; (empty) in a cell clears it, and a mapping ` +
      '(--map) can\n',
  )
}

/** What is wrong with the records that were refused: the first errors. */
class Refusals {
  readonly lines: string[] = []

  add(errors: Parameters<typeof describeErrors>[0], call: Parameters<typeof describeErrors>[1]): void {
    const left = MAX_SHOWN - this.lines.length
    this.lines.push(...describeErrors(errors.slice(0, left), call))
  }
}

/** Shows what a file would do. Each call is judged by itself: it does not see what those before it would create. */
export async function previewFile(
  client: EmployeeClient,
  file: OpenedFile,
  given: SendArguments,
  output: Output,
  signal: AbortSignal,
): Promise<void> {
  const args = { ...given, ...switchesOf(file, given) }
  const { path } = args
  const progress = showProgress('checked', file.count, 0, output.stream)
  const begun = createState(null)
  let { totals } = begun
  const refusals = new Refusals()
  try {
    for await (const { first, records } of cutCalls(file, args, begun)) {
      const call = { path, file, first, records }
      try {
        const answer = await send(client, args, records, { validateOnly: true, signal })
        totals = addAnswer(totals, answer)
        refusals.add(errorsOf(answer), call)
      } catch (error) {
        if (!(error instanceof EmployeeLedgerError)) throw error
        if (!isAboutRecords(error)) throw explainFailure(error, path, NOTHING_APPLIED)
        const faulty = new Set(error.errors.map(({ index }) => index)).size
        totals = addRefused(totals, args.allOrNone ? faulty : records.length)
        refusals.add(error.errors, call)
      }
      progress.show(first + records.length)
    }
  } finally {
    progress.finish()
  }
  const missing =
    args.atMost === null
      ? null
      : await listMissing({ client, file, args, stream: output.stream, signal }, NOTHING_APPLIED)
  const isWhole = (totals.refused ?? 0) + file.unreadable.count === 0
  if (!isWhole) missing?.refusals.push(KEPT_IF_REFUSED)
  const counts = `${describe(totals)}, ${describeRefused(totals, file)}`
  const left = missing?.refusals.length === 0 ? `; ${formatNumber(missing.ids.length)} not in the file` : ''
  output.result(`${path}: ${formatNumber(file.count)} records checked: ${counts}${left}; nothing was applied`)
  showKept(file, args, totals, output.stream)
  const reasons = [...(file.unreadable.count > 0 ? [describeRefused(totals, file)] : []), ...(missing?.refusals ?? [])]
  const lines = [...refusals.lines, ...reasons.map((text) => `${path}: ${text}`)]
  if (lines.length > 0) throw new CommandError('refused', lines.join('\n'))
}

const NOTHING_APPLIED = 'Nothing was applied.'
const KEPT_IF_REFUSED =
  'nobody would be deactivated if records are refused: these may be about people who seem to be missing'

/** Cuts what is left of a file into calls. */
function cutCalls(file: OpenedFile, { operation, maxRecords }: SendArguments, { run, applied }: RunState) {
  async function* left() {
    let at = 0
    for await (const record of file.read()) {
      if (at >= applied) yield record
      at += 1
    }
  }
  const options = { run: `${run} ${file.hash}`, maxRecords, first: applied }
  return cutBatches(operation, left(), options, ({ json }) => json)
}

/** What the mapping of the file says about people whom the company has. */
function switchesOf({ mapping }: OpenedFile, { operation, linkByEmail }: SendArguments) {
  return {
    linkByEmail: linkByEmail || (operation === 'upsert' && mapping?.same_addresses === 'link'),
    clearEndDates: mapping?.stored_end_dates === 'clear',
  }
}

function send(
  client: EmployeeClient,
  { operation, allOrNone, linkByEmail, clearEndDates }: SendArguments & ReturnType<typeof switchesOf>,
  records: FileRecord[],
  others: Omit<BulkOptions, 'allOrNone'>,
): Promise<Answer> {
  const body = new JsonText(`[${records.map(({ json }) => json).join(',')}]`) as unknown as []
  const switches = { linkByEmail, clearEndDates }
  if (allOrNone)
    return operation === 'upsert' ? client.upsert(body, { ...others, ...switches }) : client.updateMany(body, others)
  const options = { ...others, allOrNone } as const
  return operation === 'upsert' ? client.upsert(body, { ...options, ...switches }) : client.updateMany(body, options)
}

type Answer = UpsertedEmployees | UpdatedEmployees | PartlyApplied

function errorsOf({ results }: Answer) {
  return results.flatMap((result) => ('errors' in result ? result.errors : []))
}

/** Adds up what an answer says. A service of version 1.0.0 sends no warnings. */
function addAnswer(
  { created, changed, unchanged, inactive = 0, refused = 0 }: Totals,
  { results, warnings = [] }: Pick<Answer, 'results'> & Partial<Pick<Answer, 'warnings'>>,
): Totals {
  const count = (name: string) => results.filter(({ result }) => result === name).length
  const [newOnes, same, failed] = [count('created'), count('no_updates'), count('failed')]
  return {
    created: created + newOnes,
    changed: changed + results.length - newOnes - same - failed,
    unchanged: unchanged + same,
    inactive: inactive + (warnings.find(({ code }) => code === 'inactive_employees')?.count ?? 0),
    refused: refused + failed,
  }
}

function addRefused(totals: Totals, count: number): Totals {
  return { ...totals, refused: (totals.refused ?? 0) + count }
}

function describe({ created, changed, unchanged, inactive = 0 }: Totals): string {
  const [news, changes, same] = [created, changed, unchanged].map(formatNumber)
  const counts = `${news} created, ${changes} changed, ${same} unchanged`
  return inactive > 0 ? `${counts} (${formatNumber(inactive)} set no status of people who stay inactive)` : counts
}

function describeRefused({ refused = 0 }: Totals, { unreadable }: Pick<OpenedFile, 'unreadable'>): string {
  const counts = `${formatNumber(refused)} refused`
  return unreadable.count === 0 ? counts : `${counts}, ${formatNumber(unreadable.count)} unreadable`
}
