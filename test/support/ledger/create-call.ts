import { hash } from 'node:crypto'
import { newId } from '../../../src/ledger/new-id.ts'
import { readCreate } from '../../../src/domain/calls/commands.ts'
import type { WriteCall } from '../../../src/domain/calls/write-call.ts'
import type { TestCompany } from '../service.ts'

const MAX_RECORDS = 1_000
const WAIT_MS = 60_000

/** A call that creates employees, as the API hands it to the ledger. */
export function createCall({ id: companyId, key }: Pick<TestCompany, 'id' | 'key'>, body: unknown): WriteCall {
  const now = performance.now()
  return {
    callId: newId('log'),
    companyId,
    caller: { apiId: key.api_id, secretHash: hash('sha256', key.api_key, 'hex') },
    sentFrom: '127.0.0.1',
    userAgent: 'test',
    requestId: 'r',
    arrivedAt: now,
    waitsUntil: now + WAIT_MS,
    idempotency: null,
    bodyBytes: 100,
    validateOnly: false,
    traceparent: null,
    command: readCreate(body, MAX_RECORDS, newId),
  }
}
