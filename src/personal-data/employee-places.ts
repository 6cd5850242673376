import type { RecordedEvent } from '#domain/events'
import { fileNamesPerson, mentionsPerson, textNamesPerson, type PersonNames } from '#domain/erasure'
import { toUuid } from '#domain/ids'
import { readPagesOutsideCalls, readRejectedPages, readStreamPages } from '#ledger/erasure/find-events'
import { findEndsOfCalls, outdateWebhooks } from '#ledger/erasure/forget-answers'
import { BODIES_PER_PAGE } from '#ledger/erasure/rejected-records'
import { filterInTurns } from '#admission/turns'
import { eraseStoredRows, readStoredRows } from '#ledger/uploads/erase-rows'
import type { Queryable } from '#postgres/pool'
import { columns, describeTable, type EventReader, type FoundIn, type RowPlace } from './places.ts'

/** An employee, or a person who appears only in refused records, with all names that they have or had. */
export interface NamedEmployee {
  companyId: string
  /** Null if no employee has the name now. */
  employeeId: string | null
  names: PersonNames
}

export type EmployeeEvents = 'history' | 'refused_records' | 'uploaded_files'

/** The events that hold data of an employee. */
export const EMPLOYEE_EVENTS: Readonly<Record<EmployeeEvents, EventReader<NamedEmployee>>> = {
  /** Their own events. */
  async *history(db, { companyId, employeeId }, after) {
    if (employeeId !== null) yield* readStreamPages(db, companyId, employeeId, after)
  },
  /** Records that name them, whoever they are about. */
  async *refused_records(db, { companyId, names }, after) {
    for await (const page of readRejectedPages(db, companyId, after))
      yield await filterInTurns(
        page,
        ({ type, data }) => type === 'EmployeeRecordRejected' && data !== null && mentionsPerson(data, names),
      )
  },
  /** Files that are named after them. */
  async *uploaded_files(db, { companyId, names }, after) {
    for await (const page of readPagesOutsideCalls(db, companyId, ['FileUploaded'], after))
      yield await filterInTurns(
        page,
        ({ type, data }) => type === 'FileUploaded' && data !== null && fileNamesPerson(data.name, names),
      )
  },
}

/** Where the events are found whose data the erasure of an employee may delete. */
const FOUND_IN: FoundIn<'EmployeeErased', 'emp', EmployeeEvents> = {
  EmployeeCreated: 'history',
  EmployeeUpdated: 'history',
  EmployeeDeactivated: 'history',
  EmployeeReactivated: 'history',
  EmployeeDeprovisioned: 'history',
  EmployeeRecordRejected: 'refused_records',
  FileUploaded: 'uploaded_files',
}

/** Whether the erasure of an employee may delete the data of an event. */
export function isErasedWithEmployee({ type }: Pick<RecordedEvent, 'type'>) {
  return Object.hasOwn(FOUND_IN, type)
}

/** An employee, with the events that hold their data and the calls that made these. */
export interface TracedEmployee extends NamedEmployee {
  positions: readonly number[]
  callIds: readonly string[]
  /** Calls with a stored answer that may name them. */
  answered: readonly string[]
  /** The calls whose body could not be read, and that addressed the person or whose body names them, by position. */
  bodies: readonly number[]
}

type EmployeeRows =
  | 'directory'
  | 'rejected_bodies'
  | 'failed_calls'
  | 'stored_answers'
  | 'webhook_messages'
  | 'stored_files'

const logOf = (table: string) => `(select e.stream_id from events e
  where e.company_id = ${table}.company_id and e.position = ${table}.position)`

/** A setting of a webhook when a message was sent. */
const settingThen = (name: string) => `(select coalesce(e.data::json -> 'to', e.data::json) ->> '${name}' from events e
  where e.company_id = webhook_deliveries.company_id and e.stream_id = webhook_deliveries.webhook_id
    and e.type in ('WebhookCreated', 'WebhookChanged') and e.recorded_at <= webhook_deliveries.sent_at
    and coalesce(e.data::json -> 'to', e.data::json) -> '${name}' is not null
  order by e.stream_version desc limit 1)`

/** The stored attempts to deliver messages about events at these positions. */
const MESSAGES = describeTable<{ companyId: string; told: readonly number[] }>({
  table: 'webhook_deliveries',
  of: { column: 'position', type: 'bigint', values: ({ told }) => told },
  key: { delivery_id: 'uuid' },
  shows: {
    ...columns('delivery_id', 'webhook_id', 'position', 'type', 'sent_at', 'is_delivered', 'http_status', 'answer'),
    url: settingThen('url'),
    // Whether the message had values, not only ids and the names of what changed.
    has_values: `${settingThen('include_data')}::boolean`,
  },
  ids: { delivery_id: 'dlv', webhook_id: 'whk' },
  // An answer may repeat the message, or name the person.
  sets: { answer: 'null' },
})

/** The valid records of failed calls: of all people in it, because without one of them it would be another call. */
const FAILED_CALLS = describeTable<TracedEmployee>({
  table: 'failed_calls',
  of: { column: 'position', type: 'bigint', values: ({ bodies }) => bodies },
  key: { position: 'bigint', part: 'bigint' },
  shows: { ...columns('position', 'recorded_at', 'records'), log_id: logOf('failed_calls') },
  ids: { log_id: 'log' },
  sets: 'delete',
  pageRows: BODIES_PER_PAGE,
})

function recordsNaming(records: string, names: PersonNames) {
  const all = Object.values(JSON.parse(records) as Record<string, unknown>)
  return filterInTurns(all, (record) => textNamesPerson(JSON.stringify(record), names))
}

/** Webhooks are told the events of a person, and the ends of their calls. */
async function withTold(db: Queryable, { companyId, positions, callIds }: TracedEmployee) {
  return { companyId, told: [...positions, ...(await findEndsOfCalls(db, companyId, callIds))] }
}

/** The rows beside the ledger that hold data of an employee. */
export const EMPLOYEE_ROWS: Readonly<Record<EmployeeRows, RowPlace<TracedEmployee>>> = {
  directory: describeTable({
    table: 'employee_directory',
    of: { column: 'employee_id', type: 'uuid', values: ({ employeeId }) => (employeeId ? [toUuid(employeeId)] : []) },
    key: { employee_id: 'uuid' },
    shows: columns('employee_id', 'email', 'external_id', 'user_name', 'directory_external_id', 'manager_id'),
    ids: { employee_id: 'emp', manager_id: 'emp' },
    // Which frees what is unique.
    sets: 'delete',
  }),
  rejected_bodies: describeTable({
    table: 'rejected_bodies',
    of: { column: 'position', type: 'bigint', values: ({ bodies }) => bodies },
    key: { position: 'bigint' },
    shows: { ...columns('position', 'recorded_at'), log_id: logOf('rejected_bodies'), body: 'body' },
    ids: { log_id: 'log' },
    sets: 'delete',
    pageRows: BODIES_PER_PAGE,
  }),
  failed_calls: {
    ...FAILED_CALLS,
    async *read(db, person) {
      for await (const page of FAILED_CALLS.read(db, person))
        for (const { records, ...row } of page)
          yield [{ ...row, records: await recordsNaming(String(records), person.names) }]
    },
  },
  // The keys stay bound, so that a late retry is still recognized.
  stored_answers: describeTable({
    table: 'idempotency_keys',
    of: { column: 'call_id', type: 'uuid', values: ({ callIds, answered }) => [...callIds, ...answered].map(toUuid) },
    where: 'body is not null',
    key: { api_id: 'uuid', key_hash: 'bytea' },
    shows: { answered_at: 'answered_at', log_id: 'call_id' },
    ids: { log_id: 'log' },
    sets: { salt: 'null', fingerprint: 'null', headers: 'null', body: 'null' },
    erases: ['answered_at', 'log_id'],
  }),
  webhook_messages: {
    ...MESSAGES,
    async *read(db, person) {
      yield* MESSAGES.read(db, await withTold(db, person))
    },
    async erase(client, person) {
      await outdateWebhooks(client, person.companyId)
      await MESSAGES.erase(client, await withTold(client, person))
    },
  },
  /** Rows of uploaded files that are not applied yet. */
  stored_files: {
    erases: ['upload_id', 'file_name', 'row', 'content'],
    read: (db, { companyId, names }) => readStoredRows(db, companyId, names),
    async erase(client, { companyId, names }) {
      await eraseStoredRows(client, companyId, names)
    },
  },
}

/** Counts the rows of stored files that mention a person, who may appear nowhere else, and the files that do themselves. */
export async function countStored(db: Queryable, { companyId, names }: NamedEmployee, left?: AbortSignal) {
  const count = { rows: 0, files: 0 }
  for await (const page of readStoredRows(db, companyId, names, left))
    for (const { row } of page) count[row === null ? 'files' : 'rows'] += 1
  return count
}

/** Whether stored files mention a person. */
export async function isInStoredFiles(db: Queryable, traced: NamedEmployee, left?: AbortSignal) {
  const { rows, files } = await countStored(db, traced, left)
  return rows + files > 0
}
