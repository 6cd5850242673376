import { PROJECTIONS } from '#projections/index'

/** SQL: joins the checkpoints of all projections to a company's head `h`. */
export const JOIN_CHECKPOINTS = PROJECTIONS.map(
  ({ name, version }, at) => `left join checkpoints c${at}
    on c${at}.company_id = h.company_id and c${at}.projection = '${name}' and c${at}.version = ${version}`,
).join(' ')

/**
 * SQL, beside `JOIN_CHECKPOINTS`: the position up to which every projection has folded the company's events. It leaves
 * out projections that are parked, which an operator must repair.
 */
const POSITIONS = PROJECTIONS.map((_, at) => `case when c${at}.parked_at is null then coalesce(c${at}.position, 0) end`)
export const FOLDED_POSITION = `least(h.position, ${POSITIONS.join(', ')})`
