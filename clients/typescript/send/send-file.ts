import type { UpdatedEmployees, UpsertedEmployees } from '../api-schemas.ts'
import { cutBatches } from '../batches.ts'
import type { EmployeeClient, WriteOptions } from '../employee-client.ts'
import { EmployeeLedgerError } from '../errors.ts'
import { JsonText } from '../json-text.ts'
import { describeErrors, describeProgress, explainFailure, formatNumber, MAX_SHOWN } from './explain-failure.ts'
import { CommandError } from './exit-codes.ts'
import type { FileRecord, OpenedFile } from './open-file.ts'
import type { SendArguments } from './read-arguments.ts'
import { showProgress } from './show-progress.ts'
import type { RunState, Totals } from './state-file.ts'
import { beginRun, createState, endRun, writeState } from './state-file.ts'

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
  args: SendArguments,
  output: Output,
  signal: AbortSignal,
): Promise<void> {
  const { path, statePath, operation, url, apiId, maxRecords } = args
  const facts = [file.hash, operation, file.mapping, url, apiId, maxRecords]
  const state = await beginRun(statePath, createState(facts))
  if (state.applied > 0) output.stream.write(`${path}: going on after ${formatNumber(state.applied)} records\n`)
  const progress = showProgress('sent', file.count, state.applied, output.stream)
  try {
    for await (const { first, records, key: idempotencyKey } of cutCalls(file, args, state)) {
      try {
        const { results } = await send(client, args, records, { idempotencyKey, signal })
        state.totals = addResults(state.totals, results)
      } catch (error) {
        if (!(error instanceof EmployeeLedgerError)) throw error
        await keepAnswer(statePath, state, error)
        const call = { path, file, first, records }
        throw explainFailure(error, call, describeProgress(error, call))
      }
      state.applied = first + records.length
      await writeState(statePath, state)
      progress.show(state.applied)
    }
  } finally {
    progress.finish()
  }
  await endRun(statePath)
  output.result(`${path}: ${formatNumber(file.count)} records sent: ${describe(state.totals)}`)
}

/**
 * After an answer, the next run needs other idempotency keys, or it would get the same answer. After a lost answer it
 * must have the same ones.
 */
async function keepAnswer(statePath: string, state: RunState, error: EmployeeLedgerError): Promise<void> {
  if (error.mayHaveTakenEffect && error.code !== 'idempotency_response_expired') return
  await writeState(statePath, { ...state, run: createState(null).run })
}

/** Shows what a file would do. Each call is judged by itself: it does not see what those before it would create. */
export async function previewFile(
  client: EmployeeClient,
  file: OpenedFile,
  args: SendArguments,
  output: Output,
  signal: AbortSignal,
): Promise<void> {
  const { path } = args
  const progress = showProgress('checked', file.count, 0, output.stream)
  const begun = createState(null)
  let { totals } = begun
  let refused = 0
  const errors: string[] = []
  try {
    for await (const { first, records } of cutCalls(file, args, begun)) {
      try {
        totals = addResults(totals, (await send(client, args, records, { validateOnly: true, signal })).results)
      } catch (error) {
        if (!(error instanceof EmployeeLedgerError)) throw error
        if (error.errors.length === 0)
          throw explainFailure(error, { path, file, first, records }, 'Nothing was applied.')
        refused += new Set(error.errors.map(({ index }) => index)).size
        if (errors.length < MAX_SHOWN) errors.push(...describeErrors(error, { path, file, first, records }))
      }
      progress.show(first + records.length)
    }
  } finally {
    progress.finish()
  }
  const counts = `${describe(totals)}, ${formatNumber(refused)} refused`
  output.result(`${path}: ${formatNumber(file.count)} records checked: ${counts}; nothing was applied`)
  if (errors.length > 0) throw new CommandError('refused', errors.slice(0, MAX_SHOWN).join('\n'))
}

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

function send(
  client: EmployeeClient,
  { operation }: SendArguments,
  records: FileRecord[],
  options: WriteOptions,
): Promise<UpsertedEmployees | UpdatedEmployees> {
  const body = new JsonText(`[${records.map(({ json }) => json).join(',')}]`) as unknown as []
  return operation === 'upsert' ? client.upsert(body, options) : client.updateMany(body, options)
}

type Results = (UpsertedEmployees | UpdatedEmployees)['results']

function addResults({ created, changed, unchanged }: Totals, results: Results): Totals {
  const count = (name: string) => results.filter(({ result }) => result === name).length
  const [newOnes, same] = [count('created'), count('no_updates')]
  return {
    created: created + newOnes,
    changed: changed + results.length - newOnes - same,
    unchanged: unchanged + same,
  }
}

function describe({ created, changed, unchanged }: Totals): string {
  return `${formatNumber(created)} created, ${formatNumber(changed)} changed, ${formatNumber(unchanged)} unchanged`
}
