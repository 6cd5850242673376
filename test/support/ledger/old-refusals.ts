import { newId } from '../../../src/ledger/new-id.ts'
import type { EventData, NewEvent } from '../../../src/domain/events.ts'
import { toUuid } from '../../../src/domain/ids.ts'
import { placeEvents } from '../../../src/ledger/append/company-state.ts'
import * as statements from '../../../src/ledger/append/statements.ts'
import { inTransaction } from '../../../src/postgres/pipeline.ts'
import type { Service } from '../service.ts'

/** Opens the ledger of a company whose time starts at this instant. */
export async function openOldLedger({ pool }: Service, recordedAt: string): Promise<string> {
  const companyId = newId('com')
  await pool.query(`insert into companies (company_id, name, created_at) values ($1, 'Old', $2)`, [
    toUuid(companyId),
    recordedAt,
  ])
  await pool.query(`insert into heads (company_id, position, frontier, recorded_at) values ($1, 0, '', $2)`, [
    toUuid(companyId),
    recordedAt,
  ])
  return companyId
}

/**
 * Appends a call with this many refused records, as if at this instant. Each record has this much padding, even if the
 * API would store less.
 */
export async function appendRefusalsAt(
  { pool, company }: Pick<Service, 'pool' | 'company'>,
  companyId: string,
  recordedAt: string,
  count: number,
  { padding = 0 } = {},
): Promise<void> {
  const callId = newId('log')
  const counts = { total: count, updated: 0, deactivated: 0, failed: count, no_updates: 0 }
  const failed: EventData['ApiCallFailed'] = {
    operation: 'create',
    requested_at: recordedAt,
    duration_ms: 1,
    key: { id: company.key.api_id, name: 'Old' },
    request_id: 'x',
    counts,
    http_status: 422,
    code: 'validation_failed',
    detail: 'old',
  }
  const pad = padding > 0 ? { padding: 'x'.repeat(padding) } : {}
  const errors = [{ pointer: '/phone', code: 'invalid_format' as const, message: 'old' }]
  const events = Array.from({ length: count }, (_, index): NewEvent => {
    const data = { locator: null, employee_id: null, record: { email: `old.${index}@example.com`, ...pad }, errors }
    return { type: 'EmployeeRecordRejected', stream: callId, version: index + 1, index, data }
  })
  events.push({ type: 'ApiCallFailed', stream: callId, version: count + 1, index: null, data: failed })
  await inTransaction(pool, async (client) => {
    const [head] = await statements.lockHeads(client, [companyId], 'wait')
    const { placed, head: next } = placeEvents({ ...head!, recordedAt }, events, { callId, actor: company.key.api_id })
    await statements.insertEvents(client, placed)
    await statements.updateHeads(client, [next])
  })
}
