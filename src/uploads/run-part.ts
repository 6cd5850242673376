import { hash, randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { doInTurns } from '#admission/turns'
import { createBudget } from '#admission/budget'
import { RefusedCredentialsError, type Problem, type RecordError } from '#domain/errors'
import { FILE_UPLOAD, type CallWarning } from '#domain/calls/answer-call'
import { readMany, type Command, type WriteCall } from '#domain/calls/commands'
import type { EventData, FilePart, NewEvent } from '#domain/events'
import type { Pieces } from '#domain/pieces'
import { nameRecord } from '#domain/record-faults'
import { countEffects, type PartCounts, type StoredRow } from '#domain/uploads'
import { runApiCall, type CommandServices, undoCall } from '#ledger/calls/run-api-call'
import { findCalls } from '#ledger/corrections/corrections'
import type { LedgerTables } from '#ledger/tables'
import { onClient } from '#postgres/kysely'
import { recordCall, recordCounts, stopUpload } from '#ledger/uploads/change-upload'
import { readLeftOut, readRows, type StoredPart, type StoredUpload } from '#ledger/uploads/read-uploads'
import { leaveOutManagers, withoutManager } from './absent-managers.ts'
import { correctionsOf } from './match-corrections.ts'
import { nameRow, type PartRecords, readPart } from './part-records.ts'
import { chooseRowsLeft, findCalled } from './rows-left.ts'

/** What running the parts of stored files needs. */
export interface UploadServices {
  pool: Pool
  commands: CommandServices
}

type SentRecords = Pick<PartRecords, 'body' | 'bytes' | 'rows'>

/** What a part would do now. */
export interface PartPreview {
  counts: PartCounts
  records: PartRecords
  /** The numbers of the rows that would not be applied: those that cannot be read, and those that are refused. */
  leftOut: readonly number[]
  /** The events that its call would append. */
  events: readonly NewEvent[]
  errors: readonly RecordError[]
  /** Why the call would be refused as a whole; null otherwise. */
  refusal: Problem | null
  /** The rows whose managers are in earlier parts, which are not applied yet. */
  awaiting: number
}

/** The previews of a company at once. Each has its whole part in memory, also while its call waits for its turn. */
const previews = createBudget({ share: 2, maxWaiting: 1_000 })

/**
 * Previews a part, and records its counts: the call itself without the rows that cannot be applied, validated and not
 * applied. Managers in earlier parts of the file are taken for granted, apart from those whose rows would be left out.
 * Throws NoTurnError if too many previews of the company wait, or this one waited too long.
 */
export async function previewPart(
  services: UploadServices,
  upload: StoredUpload,
  part: StoredPart,
): Promise<PartPreview> {
  const until = performance.now() + services.commands.maxWaitMs
  const preview = await previews.hold(upload.companyId, 1, until, () => makePreview(services, upload, part))
  await recordCounts(services.pool, upload, part.number, preview)
  return preview
}

async function makePreview(services: UploadServices, upload: StoredUpload, part: StoredPart): Promise<PartPreview> {
  const records = await readApplicable(services, upload, part)
  const { body, rows } = records
  const numbers = records.unreadable.map(({ row }) => row.row)
  const unreadable = numbers.length
  const nothing = { records, leftOut: numbers, events: [], errors: [], refusal: null, awaiting: 0 }
  if (body.length === 0) return { ...nothing, counts: { ...countEffects([], 0, false), unreadable } }
  const first = await validate(services, upload, part, records)
  const awaiting = findAwaiting(first.events, records, await readLeftOut(services.pool, upload, part.number))
  const { events, refusal, inactive } =
    awaiting.size === 0
      ? first
      : await validate(services, upload, part, {
          ...records,
          body: body.map((record, at) => (awaiting.has(at) ? withoutManager(record) : record)),
        })
  const errors = events.flatMap((event) =>
    event.type === 'EmployeeRecordRejected'
      ? event.data.errors.map(
          ({ params, ...error }) =>
            ({
              ...error,
              message: nameRowIn(error.message, params, rows),
              index: event.index!,
              id: null,
            }) as RecordError,
        )
      : [],
  )
  const counts = { ...countEffects(events, body.length, refusal !== null), unreadable, inactive }
  const refused = new Set(errors.map(({ index }) => index))
  return {
    counts,
    records,
    leftOut: [...numbers, ...rows.filter((_, at) => refusal !== null || refused.has(at)).map(({ row }) => row)],
    events,
    errors,
    refusal: errors.length === 0 ? refusal : null,
    awaiting: awaiting.size,
  }
}

async function readApplicable({ pool }: UploadServices, upload: StoredUpload, { number }: StoredPart) {
  return leaveOutManagers(pool, upload, await readPart(upload, await readRows(pool, upload, number)))
}

/** Names the row of the file where a message means another record of the call. */
function nameRowIn(
  message: string,
  params: EventData['EmployeeRecordRejected']['errors'][number]['params'],
  rows: PartRecords['rows'],
): string {
  const row = params && 'record' in params ? rows[params.record] : undefined
  return row && params && 'record' in params ? message.replace(nameRecord(params.record), nameRow(row)) : message
}

async function validate(services: UploadServices, upload: StoredUpload, part: StoredPart, records: SentRecords) {
  const call = await makeCall(services, upload, part, records)
  const { newId } = services.commands
  const {
    status,
    preview = [],
    ...answer
  } = await runApiCall(services.commands, {
    ...call,
    callId: newId('log'),
    requestId: randomUUID(),
    idempotency: null,
    isAllOrNone: false,
    validateOnly: true,
  })
  const { warnings = [] } = answer.body as { warnings?: CallWarning[] }
  const inactive = warnings.find(({ code }) => code === 'inactive_employees')?.count ?? 0
  const isRefused = status >= 400
  // Those of valid records would not be appended either.
  const events = isRefused ? preview.filter(({ type }) => type === 'EmployeeRecordRejected') : preview
  return { events, refusal: isRefused ? (answer.body as Problem) : null, inactive }
}

/** The records that are refused only because their managers, in earlier parts, do not exist yet. */
function findAwaiting(
  events: readonly NewEvent[],
  { rows }: PartRecords,
  leftOut: ReadonlySet<number | undefined>,
): Set<number> {
  const isAwaited = ({ earlierManager }: StoredRow) => earlierManager !== undefined && !leftOut.has(earlierManager)
  return new Set(
    events.flatMap((event) =>
      event.type === 'EmployeeRecordRejected' &&
      isAwaited(rows[event.index!]!) &&
      event.data.errors.every(({ code }) => code === 'manager_not_found')
        ? event.index!
        : [],
    ),
  )
}

/**
 * Applies a part: makes its call, unless it was made before, and records what came of it. The ledger decides whether it
 * was: the call has its id from the start. Rows that cannot be read are left out, and those that the call refuses if the
 * file is applied without them. If the user is no longer an administrator, as of the moment of the decision,
 * nothing is applied and the upload stops. Throws as `runApiCall` does if the ledger cannot be written.
 */
export async function applyPart(services: UploadServices, upload: StoredUpload, part: StoredPart): Promise<void> {
  const { pool } = services
  if (part.undoes !== null) return undoPart(services, upload, part, part.undoes)
  let called = await findCalled(pool, upload, part)
  if (called === null) {
    const records = await readApplicable(services, upload, part)
    // Its rows were erased, or none of them can be read.
    if (records.body.length === 0)
      return recordCall(pool, upload, part.number, records.unreadable.length === 0 ? 'canceled' : 'refused')
    await makeOnce(services, await makeCall(services, upload, part, records))
    called = await findCalled(pool, upload, part)
  }
  if (called === null) return stopUpload(pool, upload)
  const outcome = called.refused === null ? 'refused' : 'applied'
  if (upload.isAllOrNone || part.missingOf !== null) return recordCall(pool, upload, part.number, outcome)
  await recordCall(pool, upload, part.number, outcome, (rows) => chooseRowsLeft(upload, called, rows))
}

/** Takes back a call, as `applyPart` makes one. What has to stay is left. */
async function undoPart(
  { pool, commands }: UploadServices,
  upload: StoredUpload,
  part: StoredPart,
  undoes: string,
): Promise<void> {
  const { companyId, userId, address, userAgent, requestId } = upload
  let called = await findCalled(pool, upload, part)
  if (called === null) {
    const db = onClient<LedgerTables>(pool)
    const [undone] = await findCalls(db, companyId, [undoes])
    const name = nameOf(upload, part)
    const request = {
      companyId,
      userId,
      client: address === null ? null : { address, userAgent },
      requestId: requestId ?? randomUUID(),
      traceparent: null,
      isAllOrNone: false,
      validateOnly: false,
      once: { callId: part.callId, idempotency: { keyHash: name, requestHash: name } },
    }
    const isMade = undone ? await ifAllowed(() => undoCall({ commands, db }, undone, request)) : null
    if (isMade === null) return recordCall(pool, upload, part.number, 'canceled')
    called = await findCalled(pool, upload, part)
  }
  if (called === null) return stopUpload(pool, upload)
  return recordCall(pool, upload, part.number, called.refused === null ? 'refused' : 'applied')
}

function nameOf({ id }: StoredUpload, { number }: StoredPart): string {
  return hash('sha256', `upload ${id} ${number}`, 'hex')
}

async function makeOnce({ commands }: UploadServices, call: WriteCall): Promise<void> {
  await ifAllowed(() => runApiCall(commands, call))
}

/** Makes a call, unless its user was removed; then undefined. What else a refusal says is in the ledger. */
async function ifAllowed<Answer>(make: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await make()
  } catch (error) {
    if (!(error instanceof RefusedCredentialsError)) throw error
    return undefined
  }
}

async function makeCall(
  { commands }: UploadServices,
  upload: StoredUpload,
  part: StoredPart,
  { body, bytes, rows }: SentRecords,
): Promise<WriteCall> {
  const { companyId, userId, fileName, requestId, address, userAgent } = upload
  const name = nameOf(upload, part)
  const now = performance.now()
  return {
    callId: part.callId,
    companyId,
    caller: { userId, upload: { fileName, ...correctionsOf(upload, rows), part: placeOf(part) } },
    protocol: FILE_UPLOAD,
    sentFrom: address ?? '',
    userAgent,
    requestId: requestId ?? randomUUID(),
    arrivedAt: now,
    waitsUntil: now + commands.maxWaitMs,
    bodyBytes: bytes,
    // The part is the request: erasing some of its rows does not make it another one.
    idempotency: { keyHash: name, requestHash: name },
    // One of the people who are not in the file may be erased meanwhile.
    isAllOrNone: upload.isAllOrNone && part.missingOf === null,
    linksByEmail: upload.operation === 'upsert' && upload.mapping?.same_addresses === 'link',
    clearsEndDates: upload.mapping?.stored_end_dates === 'clear',
    validateOnly: false,
    traceparent: null,
    command: await doInTurns(readCommand(commands, upload, part, body)),
  }
}

function placeOf({ number, of, firstRow, rows, missingOf }: StoredPart): FilePart | null {
  if (of === 1 || missingOf !== null) return null
  return { number, of, first_row: firstRow, last_row: firstRow + rows - 1 }
}

function readCommand(
  { maxRecords, newId }: CommandServices,
  { operation }: StoredUpload,
  { rows, missingOf }: StoredPart,
  body: readonly unknown[],
): Pieces<Command> {
  // A part that was stored while calls could have more records is still one.
  const most = Math.max(maxRecords, rows)
  return readMany(missingOf === null ? operation : 'update_many', body, most, newId)
}
