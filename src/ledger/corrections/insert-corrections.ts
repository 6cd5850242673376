import type { NewEvent } from '#domain/events'
import { toUuid } from '#domain/ids'
import type { QueryClient } from '#postgres/query-client'

/*
 * Which completed calls correct a failed one. The events of a correction say what it corrects; these rows, written in
 * the same transaction, find it from the other side.
 */

/** A completed call that applied records of a failed one. */
export interface NewCorrection {
  companyId: string
  correctedId: string
  /** That of the event that closes the call. */
  position: number
  callId: string
  /** The indexes of the failed call's records; null if they are not known. */
  records: number[] | null
}

/** Lists what a decided call corrects: the records that it applied. A call that failed corrects nothing. */
export function listCorrections(
  { companyId, callId }: Pick<NewCorrection, 'companyId' | 'callId'>,
  events: readonly NewEvent[],
  lastPosition: number,
): NewCorrection[] {
  const at = events.findLastIndex(({ type }) => type === 'ApiCallCompleted')
  const closing = events[at]
  if (closing?.type !== 'ApiCallCompleted') return []
  const { corrects = [], corrected_records: places = {} } = closing.data
  const position = lastPosition - (events.length - 1 - at)
  const refused = new Set(events.flatMap(({ type, index }) => (type === 'EmployeeRecordRejected' ? [index] : [])))
  return corrects.flatMap((correctedId) => {
    const pairs = places[correctedId]
    const records = pairs?.filter(([own]) => !refused.has(own)).map(([, index]) => index) ?? null
    if (pairs?.length !== 0 && records?.length === 0) return []
    return [{ companyId, correctedId, position, callId, records }]
  })
}

/** Stores corrections, in the transaction that appends their calls. */
export function insertCorrections(client: QueryClient, corrections: readonly NewCorrection[]): Promise<unknown> {
  const rows = corrections.map(({ companyId, correctedId, position, callId, records }) => ({
    c: toUuid(companyId),
    f: toUuid(correctedId),
    p: position,
    b: toUuid(callId),
    r: records && `{${records.join(',')}}`,
  }))
  return client.query({
    name: 'insert-corrections',
    text: `insert into corrections (company_id, corrected_id, position, call_id, records)
      select c, f, p, b, r::integer[] from json_to_recordset($1) as t(c uuid, f uuid, p bigint, b uuid, r text)`,
    values: [JSON.stringify(rows)],
  })
}
