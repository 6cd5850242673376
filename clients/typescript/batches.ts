import { createHmac, randomUUID } from 'node:crypto'
import type { RecordError } from './api-schemas.ts'
import { EmployeeLedgerError } from './errors.ts'
import type { AbortSignal } from './web-types.ts'

export interface BatchOptions {
  /**
   * Names the whole run. A repeated run with the same name gets the stored answers for the calls that it repeats
   * unchanged. Use a random name: the idempotency keys are derived from it, and nobody must be able to guess them.
   */
  run?: string | undefined
  /** The service's `MAX_RECORDS`. Absent: its default. */
  maxRecords?: number | undefined
  /** The service's `BODY_LIMIT`: 8 MiB by default. */
  maxBytes?: number | undefined
  /** Stops before the next attempt, and aborts the running one. */
  signal?: AbortSignal | undefined
}

/** Records in any number. An async iterable is read only as far as the calls have come. */
export type Records<T> = Iterable<T> | AsyncIterable<T>

/** The answer of one call of a batch. `index` in its results counts all records that were given. */
export type Batch<T> = T & {
  /** The index of the call's first record. */
  first: number
}

/** The answers of a batch, each when it is asked for. */
export type Batches<T> = AsyncGenerator<Batch<T>, void, undefined>

/** The records of one call. */
interface Cut<T> {
  /** The index of the first one. */
  first: number
  records: T[]
  /** The call's idempotency key. */
  key: string
}

interface CallAnswer {
  results?: { index: number; errors?: RecordError[] }[]
}

type Write<T, A> = (records: T[], options: { idempotencyKey: string; signal: AbortSignal | undefined }) => Promise<A>

/**
 * Writes records in as few calls as the limits allow, one after the other, and yields the answer of each. The next call
 * is sent when the next answer is asked for. It throws at the first call that fails.
 */
export async function* inBatches<T, A extends object>(
  operation: string,
  given: Records<T>,
  options: BatchOptions,
  write: Write<T, A>,
): Batches<A> {
  for await (const { first, records, key } of cutBatches(operation, given, options, JSON.stringify)) {
    let answer: A & CallAnswer
    try {
      answer = await write(records, { idempotencyKey: key, signal: options.signal })
    } catch (error) {
      throw error instanceof EmployeeLedgerError ? located(error, first, records.length) : error
    }
    const results = answer.results?.map((result) => {
      const errors = result.errors && { errors: result.errors.map((fault) => locate(fault, first)) }
      return { ...result, index: first + result.index, ...errors }
    })
    yield { ...answer, ...(results && { results }), first }
  }
}

/** The records of a call that the service accepts unless its `MAX_RECORDS` says otherwise. */
export const MAX_RECORDS = 1_000
const MAX_BYTES = 8 * 1_024 * 1_024

/** Cuts records into calls. `first` is the index of the first record: greater than 0 if a run goes on. */
export async function* cutBatches<T>(
  operation: string,
  given: Records<T>,
  {
    run = randomUUID(),
    maxRecords = MAX_RECORDS,
    maxBytes = MAX_BYTES,
    first: next = 0,
  }: BatchOptions & { first?: number },
  toJson: (record: T) => string,
): AsyncGenerator<Cut<T>, void, undefined> {
  const begin = () => ({
    first: next,
    records: [] as T[],
    bytes: 2,
    hmac: createHmac('sha256', run).update(`${operation} ${next} `),
  })
  const finish = ({ first, records, hmac }: typeof call): Cut<T> => ({ first, records, key: hmac.digest('hex') })
  let call = begin()
  for await (const record of given) {
    const json = `${toJson(record)},`
    const bytes = Buffer.byteLength(json)
    const isFull = call.records.length === maxRecords || call.bytes + bytes > maxBytes
    if (isFull && call.records.length > 0) {
      yield finish(call)
      call = begin()
    }
    call.records.push(record)
    call.bytes += bytes
    call.hmac.update(json)
    next += 1
  }
  if (call.records.length > 0) yield finish(call)
}

/** Makes an error of a call one of the whole batch. */
function located(error: EmployeeLedgerError, first: number, count: number): EmployeeLedgerError {
  const errors = error.errors.map((fault) => locate(fault, first))
  return Object.assign(error, { errors, records: { first, last: first + count - 1 } })
}

/** Counts the record of an error from the first one of the whole batch. */
function locate(fault: RecordError, first: number): RecordError {
  const index = first + fault.index
  return { ...fault, index, pointer: fault.pointer.replace(/^\/\d+/, `/${index}`) }
}
