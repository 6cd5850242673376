/*
 * Pages of events are bounded by bytes as well as by rows: most events have some hundred bytes, but one may have as many
 * as the body of a call. PostgreSQL knows the length of a stored text without reading the text, so a page that is full
 * costs nothing for what stands behind it.
 */

/** How much one page holds at most. The first event of a page may be larger, and then it is alone. */
export interface PageLimits {
  limit: number
  /** Of the texts of the events, in UTF-8. */
  bytes: number
}

/**
 * The SQL around a select of events, which has the columns `envelope`, `data` and those of the order. Gives its first
 * rows, as many as fit, with three columns more: `nth` from 1, `bytes` up to and with this row, and `is_last`, which
 * tells that no event follows in what was selected.
 */
export function measuredPage(order: string, { limit, bytes }: PageLimits): { before: string; after: string } {
  const [rows, most] = [limit, bytes].map(checkWholeNumber) as [number, number]
  return {
    before: `select * from (
      select *, row_number() over w as nth, lead(1) over w is null as is_last,
        sum(octet_length(envelope) + coalesce(octet_length(data), 0)) over w as bytes
      from (`,
    // One more than asked for tells whether there is more.
    after: ` order by ${order} limit ${rows + 1}) as stretch
      window w as (order by ${order} rows unbounded preceding)
    ) as measured where nth <= ${rows} and (nth = 1 or bytes <= ${most}) order by ${order}`,
  }
}

function checkWholeNumber(number: number): number {
  if (!Number.isSafeInteger(number)) throw new RangeError(`${number} cannot bound a page`)
  return number
}
