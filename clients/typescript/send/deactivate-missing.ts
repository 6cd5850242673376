import type { RecordError } from '../api-schemas.ts'
import { cutBatches } from '../batches.ts'
import type { EmployeeClient } from '../employee-client.ts'
import { EmployeeLedgerError } from '../errors.ts'
import { findWhyPartial, NamedPeople } from '../../../src/spreadsheets/rows/named-people.ts'
import { CommandError } from './exit-codes.ts'
import { describeFaults, explainFailure, formatNumber, isAboutRecords, MAX_SHOWN } from './explain-failure.ts'
import type { OpenedFile } from './open-file.ts'
import type { SendArguments } from './read-arguments.ts'
import { type RunState, keepAnswer, writeState } from './state-file.ts'

interface Run {
  client: EmployeeClient
  file: OpenedFile
  args: SendArguments
  /** Where the missing people are listed. */
  stream: NodeJS.WritableStream
  signal: AbortSignal
}

/** Reads whom a file names. Throws CommandError if it cannot tell who is missing. */
export async function readNamed(path: string, file: OpenedFile, signal: AbortSignal): Promise<NamedPeople> {
  const partial = findWhyPartial(file.table.leftOut)
  if (partial !== null) throw new CommandError('refused', `${path}: nobody can tell who is missing: ${partial}`)
  const named = new NamedPeople()
  const faults = []
  for await (const keys of file.readKeys()) {
    signal.throwIfAborted()
    if (named.add(keys) || faults.length >= MAX_SHOWN) continue
    faults.push({ line: keys.line, column: null, message: NAMES_NOBODY })
  }
  if (faults.length > 0) throw new CommandError('refused', describeFaults(path, faults))
  return named
}

const NAMES_NOBODY =
  'has no id, external_id, or email, so the person may seem to be missing. Fill one in, or leave ' +
  '--deactivate-missing out'

/** What became of the people who are not in a file. */
interface Outcome {
  deactivated: number
  /** Why some of them, or all, stay active. */
  refusals: string[]
}

/**
 * Deactivates the active employees who are not in a file, whose records were all applied, in calls of their own. Goes
 * on where the same run was stopped. Deactivates nobody if they are more than the run may, or records of the file were
 * refused: whom those were about is not certain.
 */
export async function deactivateMissing({ state, ...run }: Run & { state: RunState }): Promise<Outcome> {
  const { client, file, args, signal } = run
  if ((state.totals.refused ?? 0) + file.unreadable.count > 0) return { deactivated: 0, refusals: [REFUSED_BEFORE] }
  // The limit may have been lowered since the list was made.
  if (!state.missing || state.missing.ids.length > (args.atMost ?? 0)) {
    const { ids, refusals } = await listMissing(run, NOT_YET)
    const deactivated = state.missing?.deactivated ?? 0
    if (refusals.length > 0) return { deactivated, refusals }
    state.missing = { ids, done: 0, deactivated }
    await writeState(args.statePath, state)
  }
  const { missing } = state
  const options = { run: `${state.run} ${file.hash}`, maxRecords: args.maxRecords, first: missing.done }
  for await (const { records, key } of cutBatches('deactivate', missing.ids.slice(missing.done), options, String)) {
    const body = records.map((id) => ({ id, status: 'inactive' as const }))
    try {
      const { results } = await client.updateMany(body, { allOrNone: false, idempotencyKey: key, signal })
      missing.deactivated += results.filter(({ result }) => result === 'deactivated').length
      const failed = results.filter(({ result }) => result === 'failed')
      const errors = failed.flatMap((result) => result.errors)
      addRefused(missing, failed.length, errors, records, run)
    } catch (error) {
      if (!(error instanceof EmployeeLedgerError)) throw error
      if (!isAboutRecords(error)) {
        await keepAnswer(args.statePath, state, error)
        throw explainFailure(error, args.path, NOT_YET)
      }
      addRefused(missing, records.length, error.errors, records, run)
    }
    missing.done += records.length
    await writeState(args.statePath, state)
  }
  const { deactivated, refused = 0 } = missing
  const refusal = `${formatNumber(refused)} of those who are not in the file could not be deactivated`
  return { deactivated, refusals: refused > 0 ? [refusal] : [] }
}

/** Counts those of a call who were not deactivated, and says why. Somebody who was erased meanwhile is none of them. */
function addRefused(
  missing: NonNullable<RunState['missing']>,
  failed: number,
  errors: readonly RecordError[],
  ids: readonly string[],
  { stream, args: { path } }: Run,
): void {
  const before = missing.refused ?? 0
  const erased = errors.filter(({ code }) => code === 'employee_not_found')
  const reasons = errors.filter(({ code }) => code !== 'employee_not_found')
  for (const { index, message } of reasons.slice(0, Math.max(0, MAX_SHOWN - before)))
    stream.write(`${path}: not deactivated: ${ids[index]}: ${message}\n`)
  missing.refused = before + failed - erased.length
}

const REFUSED_BEFORE =
  'nobody was deactivated: the records that were refused may be about people who seem to be missing'

const NOT_YET = 'All records were applied. Run the same command again to deactivate the people who are not in the file.'

/**
 * Lists the active employees who are not in a file, by name, and says why they must not be deactivated. If they cannot
 * be listed, `outcome` says what that means for the file.
 */
export async function listMissing(run: Run, outcome: string): Promise<{ ids: string[]; refusals: string[] }> {
  const { client, file, args, stream, signal } = run
  const { path } = args
  const atMost = args.atMost ?? 0
  const named = await readNamed(path, file, signal)
  const ids: string[] = []
  let [count, active, others] = [0, 0, 0]
  try {
    others = await countDeactivated(client, signal)
    for await (const employee of client.employees({ status: 'active' }, { signal })) {
      active += 1
      if (named.has(employee)) continue
      count += 1
      if (ids.length < atMost) ids.push(employee.id)
      if (count <= MAX_SHOWN) stream.write(`${path}: not in the file: ${nameOf(employee)}\n`)
    }
  } catch (error) {
    throw error instanceof EmployeeLedgerError ? explainFailure(error, path, outcome) : error
  }
  if (count > MAX_SHOWN) stream.write(`${path}: and ${formatNumber(count - MAX_SHOWN)} more who are not in the file\n`)
  // All who leave in a day share the limit, unless they are at most one in ten.
  const isUsual = count + others <= Math.max(atMost, USUAL_SHARE * active)
  if (count === 0 || (count <= atMost && isUsual)) return { ids, refusals: [] }
  const beside = others === 0 ? '' : `, ${formatNumber(others)} were deactivated since yesterday`
  const refusal =
    `${formatNumber(count)} active people are not in the file${beside}, and at most ${formatNumber(atMost)} may be ` +
    'deactivated: nobody was. Check whether the file is complete, or raise --at-most'
  return { ids: [], refusals: [refusal] }
}

/** The share of the active people up to which those who leave in a day are usual. */
const USUAL_SHARE = 0.1
const DAY_MS = 86_400_000

/** Counts the people who were deactivated in the last day, by whatever did it. */
async function countDeactivated(client: EmployeeClient, signal: AbortSignal): Promise<number> {
  const since = new Date(Date.now() - DAY_MS).toISOString()
  let count = 0
  for await (const { deactivated_at: at } of client.employees({ status: 'inactive', updated_since: since }, { signal }))
    if (at !== null && at >= since) count += 1
  return count
}

type Listed = Awaited<ReturnType<EmployeeClient['get']>>

function nameOf({ first_name: first, last_name: last, external_id: externalId, email, id }: Listed): string {
  return `${first} ${last} (${externalId ?? email ?? id})`
}
