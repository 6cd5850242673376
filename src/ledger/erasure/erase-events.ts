import type { ClientBase } from 'pg'
import type { RecordedEvent } from '../../domain/events.ts'
import { fromUuid, toUuid } from '../../domain/ids.ts'
import { canonicalJson } from '../integrity/canonical-json.ts'
import type { ReadableEvent } from '../integrity/codec.ts'
import { EVENT_COLUMNS, readEvent } from '../integrity/codec.ts'
import { measuredPage } from '../read/measured-page.ts'

/*
 * Reads and deletes for an erasure, apart from appending events. Everything runs under the lock of the company's head,
 * except for the search that comes first.
 */

type Queryable = Pick<ClientBase, 'query'>

/**
 * Erases the data and salt of the events that the erasing event at a position names. The database function refuses, and
 * aborts the transaction, if any of them may not be erased by it. Also deletes the key of the company's evidence file,
 * which may contain the data.
 */
export async function eraseNamedBy(client: ClientBase, companyId: string, position: number): Promise<void> {
  await client.query('select erase_events($1, $2)', [toUuid(companyId), position])
  await client.query('delete from evidence_files where company_id = $1', [toUuid(companyId)])
}

/** The head position of a company; null if there is no such company. */
export async function loadHeadPosition(db: Queryable, companyId: string): Promise<number | null> {
  const { rows } = await db.query<{ position: number }>('select position from heads where company_id = $1', [
    toUuid(companyId),
  ])
  return rows[0]?.position ?? null
}

const PAGE = { limit: 1_000, bytes: 1024 * 1024 }
const COLUMNS = EVENT_COLUMNS.join(', ')

/** The events of a stream, in order, page by page. */
export async function* readStreamPages(
  db: Queryable,
  companyId: string,
  stream: string,
): AsyncGenerator<RecordedEvent[]> {
  const page = measuredPage('stream_version', PAGE)
  for (let [after, isLast] = [0, false]; !isLast;) {
    const { rows } = await db.query<ReadableEvent & { is_last: boolean }>(
      `${page.before} select ${COLUMNS} from events
       where company_id = $1 and stream_id = $2 and stream_version > $3 ${page.after}`,
      [toUuid(companyId), toUuid(stream), after],
    )
    if (rows.length === 0) return
    const events = rows.map(readEvent)
    yield events
    after = events.at(-1)!.version
    isLast = rows.at(-1)!.is_last
  }
}

const LOOK_UPS = { id: 'employee_id', email: 'email', external_id: 'external_id' } as const

/** The id of the employee who currently has this id, email address or external id; null if there is none. */
export async function findEmployeeId(
  db: Queryable,
  companyId: string,
  by: keyof typeof LOOK_UPS,
  value: string,
): Promise<string | null> {
  const { rows } = await db.query<{ employee_id: string }>(
    `select employee_id from employee_directory where company_id = $1 and ${LOOK_UPS[by]} = $2`,
    [toUuid(companyId), by === 'id' ? toUuid(value) : value],
  )
  return rows[0] ? fromUuid('emp', rows[0].employee_id) : null
}

/** The number of positions that one statement searches. */
const SEARCHED_AT_ONCE = 50_000

/**
 * The employee events after a position whose data contains a text, up to the head. Excludes refused records, which may
 * be large.
 */
export async function* findEmployeeEventsWith(
  db: Queryable,
  companyId: string,
  text: string,
  after: number,
): AsyncGenerator<RecordedEvent[]> {
  const head = (await loadHeadPosition(db, companyId)) ?? 0
  const page = measuredPage('position', PAGE)
  for (let from = after; from < head;) {
    const upTo = from + SEARCHED_AT_ONCE
    const { rows } = await db.query<ReadableEvent & { is_last: boolean }>(
      `${page.before} select ${COLUMNS} from events where company_id = $1 and position > $2 and position <= $3
         and type like 'Employee%' and type <> 'EmployeeRecordRejected'
         and data is not null and strpos(data, $4) > 0 ${page.after}`,
      [toUuid(companyId), from, upTo, canonicalJson(text)],
    )
    const events = rows.map(readEvent)
    yield events
    from = rows.at(-1)?.is_last === false ? events.at(-1)!.position : upTo
  }
}

interface UploadedFile {
  position: number
  name: string
}

/** The names of files that were uploaded after a position, page by page; with `userId`, only those of this user. */
export async function* readFileNames(
  db: Queryable,
  companyId: string,
  { after = 0, userId = null }: { after?: number; userId?: string | null },
): AsyncGenerator<UploadedFile[]> {
  for (let isLast = false; !isLast;) {
    const { rows } = await db.query<UploadedFile>(
      `select position, data::json ->> 'name' as name from events
       where company_id = $1 and position > $2 and call_id is null and type = 'FileUploaded' and data is not null
         and ($3::text is null or actor = $3) order by position limit $4`,
      [toUuid(companyId), after, userId, PAGE.limit],
    )
    yield rows
    after = rows.at(-1)?.position ?? after
    isLast = rows.length < PAGE.limit
  }
}

/** Filters positions to the events that still have data, in order. */
export async function filterWithData(db: Queryable, companyId: string, positions: number[]): Promise<number[]> {
  const { rows } = await db.query<{ position: number }>(
    `select position from events where company_id = $1 and position = any($2::bigint[]) and data is not null
     order by position`,
    [toUuid(companyId), positions],
  )
  return rows.map(({ position }) => position)
}

/** Deletes an employee from the directory, which frees the email address and external id. */
export async function deleteFromDirectory(client: ClientBase, companyId: string, employeeId: string): Promise<void> {
  await client.query('delete from employee_directory where company_id = $1 and employee_id = $2', [
    ...[toUuid(companyId), toUuid(employeeId)],
  ])
}
