import { isDeepStrictEqual } from 'node:util'
import { createBudget } from '#admission/budget'
import { doInTurns } from '#admission/turns'
import { RefusedByStateError, type Acting } from '#accounts/change-company'
import { readCompany } from '#accounts/companies/companies'
import type { RowKeys } from '#spreadsheets/rows/plan-rows'
import { type ColumnMapping, type Mapping, needsPerson } from '#spreadsheets/mapping/mapping'
import { readName } from '#spreadsheets/cells'
import { chooseNewColumn } from '#spreadsheets/mapping/new-column'
import { completeReadings, doubtDates, type DoubtedDates } from '#spreadsheets/proposals/propose-mapping'
import { leaveOut } from '#spreadsheets/tables/find-table'
import { isNamedByApi } from '#spreadsheets/mapping/record-columns'
import type { ComparedRecord } from '#spreadsheets/rows/stored-differences'
import { problem } from '#domain/errors'
import { type FileAnswers, type StoredQuestion, FileQuestion } from '#spreadsheets/formats/file-question'
import { prepareReader } from '#spreadsheets/process/read-apart'
import type { UploadOperation } from '#domain/uploads'
import type { LedgerDb } from '#ledger/tables'
import { findMapping, type FoundMapping, listAnswers } from '#ledger/uploads/remember-mapping'
import {
  ifRoom,
  MAX_UPLOADS,
  MAX_UPLOADED_BYTES,
  storeUpload,
  type Original,
  storeOriginal,
} from '#ledger/uploads/store-upload'
import { ReceivedFile } from '#ledger/uploads/received-file'
import { databaseTime } from '#postgres/database-clock'
import { countAbsentManagers } from './absent-managers.ts'
import { keepHeapCompact } from './compact-heap.ts'
import { countLinkable } from './linkable-people.ts'
import { compareWithStored } from './compare-with-stored.ts'
import { countReturning } from './returning-people.ts'
import { inTransaction } from '#postgres/pipeline'
import { matchCorrections } from './match-corrections.ts'
import { planParts } from './plan-parts.ts'
import { readFile, type ReadFile } from './read-file.ts'
import { FileFaultError } from './part-builder.ts'
import type { UploadServices } from './run-part.ts'

/** What the routes of uploads need. */
export interface UploadRouteServices extends UploadServices {
  db: LedgerDb
  /** Maximum size of the body of a call, in bytes. */
  bodyLimit: number
  /** Lets the workers know of companies whose uploads go on. */
  announce(companyIds: string[]): void
}

/** An uploaded file. */
export interface SentFile {
  content: ReceivedFile
  fileName: string
  /** Null if the file is to do what the calls asked for that it corrects: `upsert` if they differ, or there are none. */
  operation: UploadOperation | null
  answers: FileAnswers
  /** The failed call that it is to correct, as a form says; empty if none. */
  logId: string
  /** Whether it is kept as it was sent, to read it in another way, if it has no passwords. */
  isKept: boolean
  /** The request that applies the file without asking, if all of its rows can be read; null if somebody decides. */
  applyingRequestId: string | null
  /** Whether a row that cannot be applied keeps its part from being applied then. */
  isAllOrNone: boolean
  /** The upload, or the question, that it replaces; null if it is a new file. */
  replaces: string | null
}

/** The files that are read at once. Each takes a process of its own, and a company has one. */
const READERS = 2
const MAX_WAITING = 400
const MAX_WAIT_MS = 60_000
const readers = createBudget({ total: READERS, share: 1, maxWaiting: MAX_WAITING, maxWaitMs: MAX_WAIT_MS })

const MAX_FILE_NAME = 255
const MIB = 1024 * 1024

/** The name of a file as it is stored: without control characters, and never empty. */
export function cleanFileName(name: string): string {
  const cleaned = name
    .replaceAll(/[\p{C}]/gu, '')
    .slice(0, MAX_FILE_NAME)
    .toWellFormed()
  return cleaned === '' ? 'unnamed' : cleaned
}

/** Lets a task receive a file. What was stored of it is deleted then, unless it is kept. */
export async function receiveFile<Result>(
  { pool, commands }: UploadRouteServices,
  companyId: string,
  task: (file: ReceivedFile) => Promise<Result>,
): Promise<Result> {
  const file = new ReceivedFile(pool, companyId, commands.newId('upl'))
  try {
    return await keepHeapCompact(() => task(file))
  } finally {
    await file.end()
  }
}

/**
 * Reads and stores a file, and begins its preview. Its columns mean what the company chose for the last file with the same
 * first line; otherwise, it is proposed what they mean. `chooseCalls` gets the ids of calls that the file names, and
 * returns those of the calls that it corrects; ids of calls that are unknown or have not failed are left out. Returns the
 * id of the upload. Throws FileFaultError, FileQuestion, RefusedByStateError with `too_many_uploads`, or the reason of the
 * signal, if that is aborted before the file is stored.
 */
export async function storeFile(
  services: UploadRouteServices,
  { companyId, actor, client }: Acting,
  sent: SentFile,
  chooseCalls: (named: readonly string[]) => readonly string[],
  signal: AbortSignal,
): Promise<string> {
  const { pool, db, commands, bodyLimit, announce } = services
  const { maxRecords, newId } = commands
  const { content, fileName, operation, applyingRequestId, isAllOrNone } = sent
  const { file, answers, found } = await readAsBefore(services, companyId, sent, signal)
  const { header, rows } = file
  const matched = await matchCorrections(db, companyId, file, chooseCalls(file.logIds), signal)
  const { corrects, places, operation: again } = matched
  const { mapping: chosen, open } = await chooseMapping(file, found, signal)
  const does = operation ?? again ?? 'upsert'
  const facts = {
    newId,
    today: databaseTime().slice(0, 'YYYY-MM-DD'.length),
    countAbsent: (absent: readonly RowKeys[]) => countAbsentManagers(pool, companyId, absent),
    countLinkable: (all: readonly RowKeys[]) => countLinkable(pool, { companyId, operation: does }, all),
    countReturning: (all: readonly RowKeys[]) => countReturning(pool, companyId, all),
    compare: async (all: readonly RowKeys[], readRecord: (at: number) => ComparedRecord) => {
      const differences = await compareWithStored(pool, companyId, all, readRecord, open)
      for (const { reason, message } of differences) leaveOut(file.notes, reason, null, null, message)
      return differences
    },
  }
  const limits = { maxRecords, bodyLimit }
  const { parts, mapping } = await planParts({ header, mapping: chosen, rows }, limits, places, facts, signal)
  const { id, bytes } = content
  const isKept = sent.isKept && file.secrets.length === 0
  const upload = {
    companyId,
    id,
    userId: actor,
    fileName,
    operation: does,
    header,
    mapping,
    bytes,
    corrects,
    applying:
      applyingRequestId === null || (mapping && needsPerson(mapping))
        ? null
        : { requestId: applyingRequestId, client: client ?? null },
    isAllOrNone,
    replaces: sent.replaces,
    parts,
  }
  const read = { question: null, notes: file.notes }
  const stored = await storeUpload(pool, upload, (db) => keepOriginal(db, upload, { ...sent, answers, isKept }, read))
  if (stored === null) throw new RefusedByStateError(TOO_MANY)
  if (stored > 1) announce([companyId])
  return id
}

async function readSent(
  { db, commands: { maxRecords }, bodyLimit }: UploadRouteServices,
  companyId: string,
  { content, answers }: Pick<SentFile, 'content' | 'answers'>,
  signal: AbortSignal,
): Promise<ReadFile> {
  const limits = { maxRecords, bodyLimit }
  const { country } = await readCompany(db, companyId)
  const read = () => readFile(content, answers, limits, country && 'company', signal)
  try {
    return await readers.hold(companyId, 1, undefined, read)
  } finally {
    // In a turn of its own: starting a process copies the tables of this one's memory.
    setImmediate(prepareReader)
  }
}

interface ReadAsBefore {
  file: ReadFile
  answers: FileAnswers
  /** What its columns meant for the company before; null if that is not known. */
  found: FoundMapping | null
}

/**
 * Reads a file; if it leaves something open, or has other columns than the company's files before it, as those were read
 * where somebody had to say it. So nobody has to say it every night. Throws as `readFile` does.
 */
async function readAsBefore(
  services: UploadRouteServices,
  companyId: string,
  { content, answers }: Pick<SentFile, 'content' | 'answers'>,
  signal: AbortSignal,
): Promise<ReadAsBefore> {
  const read = async (given: FileAnswers): Promise<ReadAsBefore> => {
    const file = await readSent(services, companyId, { content, answers: given }, signal)
    const { header, notes } = file
    // Without names, nothing tells one column from another.
    const found = header && notes.headerLine !== 0 ? await findMapping(services.pool, companyId, header) : null
    return { file, answers: given, found }
  }
  const first = await read(answers).catch((error: unknown) => {
    if (error instanceof FileQuestion) return error
    throw error
  })
  const isOpen = first instanceof FileQuestion
  const isKnown = !isOpen && (first.file.header === null || first.found?.gone.length === 0)
  if (isKnown || Object.values(answers).some((answer) => answer !== null)) return orThrow(first)
  for (const before of await listAnswers(services.pool, companyId)) {
    const isChoice = !isOpen || first.choices.some(({ value }) => value === before[first.parameter])
    const again = isChoice ? await read(before).catch(ignoreFaults) : null
    if (again?.found?.gone.length === 0 && isDeepStrictEqual(again.found.mapping.answers, before)) return again
  }
  return orThrow(first)
}

function orThrow(read: ReadAsBefore | FileQuestion): ReadAsBefore {
  if (read instanceof FileQuestion) throw read
  return read
}

/** What cannot be read in some way is read in another one. */
function ignoreFaults(error: unknown): null {
  if (error instanceof FileFaultError || error instanceof FileQuestion) return null
  throw error
}

/** Stores how a file was read, and the file itself if it is kept. */
async function keepOriginal(
  db: Pick<UploadServices['pool'], 'query'>,
  { companyId, userId }: Pick<Original, 'companyId' | 'userId'>,
  { content, fileName, operation, answers, logId, isKept }: SentFile,
  found: Pick<Original, 'question' | 'notes'>,
): Promise<void> {
  const { id, bytes } = content
  const original = { companyId, userId, id, ...found, fileName, operation, answers, logId, bytes }
  await storeOriginal(db, original, isKept ? content : null)
}

/**
 * Stores a file that leaves something open, and returns the id that its upload would have. Throws FileFaultError if the
 * file seems to have passwords, and RefusedByStateError with `too_many_uploads`.
 */
export async function askAboutFile(
  services: UploadRouteServices,
  { companyId, actor }: Acting,
  sent: SentFile,
  { parameter, choices }: StoredQuestion,
  signal: AbortSignal,
): Promise<string> {
  await refuseSecrets(
    services,
    companyId,
    { ...sent, answers: { ...sent.answers, [parameter]: choices[0]?.value } },
    signal,
  )
  const { id, bytes } = sent.content
  const found = { question: { parameter, choices }, notes: null }
  const counted = { companyId, bytes, replaces: sent.replaces }
  const isStored = await inTransaction(services.pool, (client) =>
    ifRoom(client, counted, () => keepOriginal(client, { companyId, userId: actor }, sent, found)),
  )
  if (!isStored) throw new RefusedByStateError(TOO_MANY)
  return id
}

/** Reads a file in the likeliest way. What stays open or cannot be read then is found when the user has answered. */
async function refuseSecrets(
  services: UploadRouteServices,
  companyId: string,
  likely: SentFile,
  signal: AbortSignal,
): Promise<void> {
  const file = await readSent(services, companyId, likely, signal).catch(ignoreFaults)
  const [name] = file?.secrets ?? []
  if (name === undefined) return
  const message =
    `The column "${name}" may hold passwords. Remove it, save the file as UTF-8 or with one sheet, ` +
    'and upload it again'
  throw new FileFaultError([{ line: 1, column: null, message }])
}

/**
 * Chooses what the columns of a file mean: as for the last file of its kind, or as is proposed. A person has to look at
 * it if columns are gone, or if it is proposed and columns have other names than the API gives them.
 */
async function chooseMapping(
  { header, sample, proposal, notes }: ReadFile,
  found: FoundMapping | null,
  signal: AbortSignal,
): Promise<{ mapping: Mapping | null; open: DoubtedDates['open'] }> {
  if (!header || !sample || !proposal) return { mapping: null, open: [] }
  if (!found) return { mapping: { ...proposal, ...(isNamedByApi(header) ? {} : { needs_review: true }) }, open: [] }
  const { gone, added } = found
  if (gone.length + added.length > 0) leaveOut(notes, 'changed_columns', null, null, describeChanges(gone, added))
  const { answers: _answers, ...remembered } = found.mapping
  const isNew = ({ header: name, to }: ColumnMapping) => to === 'nothing' && added.includes(readName(name))
  const columns =
    gone.length === 0
      ? remembered.columns.map((column, at) => (isNew(column) ? chooseNewColumn(proposal.columns[at]!) : column))
      : replaceOpen(remembered.columns, proposal.columns)
  const { mapping: doubted, open } = await doInTurns(doubtDates({ ...remembered, columns }, header, sample), signal)
  const mapping = await doInTurns(completeReadings(doubted, header, sample), signal)
  const isAsked = gone.length > 0 || doubted.columns.some(({ dates }, at) => dates !== columns[at]!.dates)
  return { mapping: isAsked ? { ...mapping, needs_review: true } : mapping, open }
}

function describeChanges(gone: readonly string[], added: readonly string[]): string {
  const list = (names: readonly string[]) => names.slice(0, MAX_NAMES).join(', ')
  const isNew = added.length > 0 ? `New columns: ${list(added)}` : ''
  if (gone.length === 0) return isNew
  return `Gone, or renamed: the columns that became ${list(gone)}${isNew && `. ${isNew}`}`
}

/** Fills in what is proposed where it is open what columns become, unless another one becomes that already. */
function replaceOpen(given: readonly ColumnMapping[], proposed: readonly ColumnMapping[]): ColumnMapping[] {
  const used = new Set(given.map(({ to }) => to))
  return given.map((column, at) => {
    const other = proposed[at]!
    if (column.to !== null) return column
    const isRepeatable = other.to === null || other.to === 'custom' || other.to === 'status'
    const isFree = isRepeatable || !used.has(other.to)
    return isFree ? other : { header: column.header, to: 'nothing' }
  })
}

/** The names of columns that a note lists. */
const MAX_NAMES = 20

const TOO_MANY = problem(
  'too_many_uploads',
  `A company can have ${MAX_UPLOADS} unfinished uploads with ${MAX_UPLOADED_BYTES / MIB} MiB. Apply or delete some. ` +
    'They are also deleted after a day',
)
