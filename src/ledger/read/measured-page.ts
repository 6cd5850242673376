import { HEADER_BYTES } from '../integrity/codec.ts'

/*
 * Pages of events are bounded by bytes as well as rows: most events have a few hundred bytes, but one can be as large
 * as the body of a call. PostgreSQL knows the length of a stored text without reading it, so rows that do not fit cost
 * nothing.
 */

/** The limits of a page. Its first event may exceed `bytes`; then the page holds only that event. */
export interface PageLimits {
  limit: number
  /** Of the events as an export holds them. */
  bytes: number
}

/**
 * SQL to wrap around a select of events with the column `data` and those of the order. It returns as many of the
 * first rows as fit, with three more columns: `nth` counts from 1, `bytes` is the running total, and `is_last` is true
 * if the select has no further event.
 */
export function measuredPage(order: string, { limit, bytes }: PageLimits): { before: string; after: string } {
  const [rows, most] = [limit, bytes].map(checkWholeNumber) as [number, number]
  return {
    before: `select * from (
      select *, row_number() over w as nth, lead(1) over w is null as is_last,
        sum(${HEADER_BYTES} + coalesce(octet_length(data), 0)) over w as bytes
      from (`,
    // Read one more row, to know whether there are more.
    after: ` order by ${order} limit ${rows + 1}) as stretch
      window w as (order by ${order} rows unbounded preceding)
    ) as measured where nth <= ${rows} and (nth = 1 or bytes <= ${most}) order by ${order}`,
  }
}

function checkWholeNumber(number: number): number {
  if (!Number.isSafeInteger(number)) throw new RangeError(`${number} cannot bound a page`)
  return number
}
