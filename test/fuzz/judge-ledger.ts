import { listLogEntries } from '../../projections/bulk-user-logs/queries.ts'
import { PROJECTIONS } from '../../projections/index.ts'
import { closesCall } from '../../src/domain/event-types.ts'
import { readEvents } from '../support/ledger/company-events.ts'
import { catchUp } from '../../src/workers/project.ts'
import type { Service } from '../support/service.ts'
import { ledgerFaults } from '../support/ledger/verify-ledger.ts'
import type { FuzzedRequest } from './any-request.ts'
import type { FuzzedAnswer } from './send-request.ts'

const WRITING: ReadonlySet<string> = new Set([
  ...['POST /v1/employees', 'PATCH /v1/employees', 'PUT /v1/employees', 'PATCH /v1/employees/:id'],
])
/** Refused before the company is known, or while another call is decided, so nothing is stored. */
const WITHOUT_ENTRY: ReadonlySet<string> = new Set([
  'invalid_credentials',
  'route_not_found',
  'method_not_allowed',
  'malformed_request',
  'headers_too_large',
  'idempotency_in_progress',
  'unavailable',
])
const ENTRIES_AT_ONCE = 10_000

/** What the answers promised: the status of each logged call, by id. */
export interface Promised {
  calls: Map<string, number>
  /** Writes without an answer: each may be in the ledger or not. */
  unknown: number
  faults: string[]
}

export const nothingPromised = (): Promised => ({ calls: new Map(), unknown: 0, faults: [] })

/** Notes what an answer says about the ledger. */
export function notePromise(promised: Promised, request: FuzzedRequest, answer: FuzzedAnswer | null): void {
  // A file is applied by two calls: one for its rows, and one for who is not in it. A form's answer doesn't name them.
  if (request.method === 'POST' && /\/uploads?\/.*\/apply$/.test(request.url)) promised.unknown += 2
  // Nor do the answers to identity providers.
  if (request.method !== 'GET' && request.url.startsWith('/scim/v2/Users')) promised.unknown += 1
  if (!WRITING.has(`${request.method} ${request.url}`)) return
  if (!answer) {
    promised.unknown += 1
    return
  }
  const { status, headers, text } = answer
  if (headers['idempotency-replayed'] === 'true') return
  const { log_id: logId, code } = JSON.parse(text) as { log_id?: string; code?: string }
  // It names the entry of the first call with its idempotency key.
  if (code === 'idempotency_response_expired') return
  const isWithout = request.target.includes('validate_only') || WITHOUT_ENTRY.has(code ?? '')
  if (logId === undefined) {
    if (!isWithout) promised.faults.push(`an answer of ${status} ${code ?? ''} names no entry of the log`)
    return
  }
  if (promised.calls.has(logId)) promised.faults.push(`two answers name the entry ${logId}`)
  promised.calls.set(logId, status)
}

/** Checks a company's ledger and read models against the promises. */
export async function companyFaults(
  { db }: Pick<Service, 'db'>,
  companyId: string,
  promised: Promised,
): Promise<string[]> {
  const faults = [...promised.faults, ...(await ledgerFaults(db, companyId))]
  const events = await readEvents(db, companyId)
  const closed = new Map<string, number>()
  for (const event of events) {
    if (!closesCall(event) || event.call_id === null) continue
    closed.set(event.call_id, event.type === 'ApiCallFailed' && event.data !== null ? event.data.http_status : 200)
  }
  const missing = [...promised.calls.keys()].filter((id) => !closed.has(id))
  const unpromised = [...closed.keys()].filter((id) => !promised.calls.has(id))
  if (missing.length > 0) faults.push(`entries that were answered are not in the ledger: ${missing.join(', ')}`)
  if (unpromised.length > promised.unknown)
    faults.push(`the ledger holds ${unpromised.length} calls that no answer names: ${unpromised.join(', ')}`)
  for (const [id, status] of promised.calls) {
    const stored = closed.get(id)
    if (stored !== undefined && (status < 300 ? stored !== 200 : stored !== status))
      faults.push(`${id} was answered with ${status} and stored as ${stored}`)
  }
  return [...faults, ...(await entryFaults(db, companyId, closed, events.at(-1)?.position ?? 0))]
}

/**
 * The read models fold all of it, and Bulk User Logs has each call exactly once. A call whose client is gone may still
 * be carried out, and its entry is behind what was read.
 */
async function entryFaults(
  db: Service['db'],
  companyId: string,
  closed: Map<string, number>,
  readTo: number,
): Promise<string[]> {
  for (const projection of PROJECTIONS) await catchUp(db, projection, companyId)
  const { entries } = await listLogEntries(db, companyId, {}, { after: 0, limit: ENTRIES_AT_ONCE })
  const ids = entries.filter(({ position }) => position <= readTo).map(({ entry }) => entry.id)
  const isEqual = ids.length === closed.size && new Set(ids).size === ids.length && ids.every((id) => closed.has(id))
  return isEqual ? [] : [`Bulk User Logs has ${ids.length} entries of ${closed.size} calls`]
}
