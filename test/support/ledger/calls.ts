import { doAtOnce } from '../../../src/domain/pieces.ts'
import { hash } from 'node:crypto'
import { readConfig } from '../../../src/config.ts'
import { newId } from '../../../src/ledger/new-id.ts'
import { FILE_UPLOAD, PUBLIC_API } from '../../../src/domain/calls/answer-call.ts'
import type { CalledFile } from '../../../src/domain/calls/callers.ts'
import { readMany, type WriteCall } from '../../../src/domain/calls/commands.ts'
import type { TestCompany } from '../service.ts'

const { MAX_RECORDS } = readConfig({})
const WAIT_MS = 60_000
/** A body of this size makes any call a large one. */
const LARGE_BODY = 64 * 1024

type Caller = Pick<TestCompany, 'id' | 'key'>

/** A call that creates employees, as the API hands it to the ledger. */
export function createCall({ id: companyId, key }: Caller, body: unknown): WriteCall {
  const now = performance.now()
  return {
    callId: newId('log'),
    companyId,
    caller: { apiId: key.api_id, secretHash: hash('sha256', key.api_key, 'hex') },
    protocol: PUBLIC_API,
    sentFrom: '127.0.0.1',
    userAgent: 'test',
    requestId: 'r',
    arrivedAt: now,
    waitsUntil: now + WAIT_MS,
    idempotency: null,
    bodyBytes: 100,
    isAllOrNone: true,
    linksByEmail: false,
    validateOnly: false,
    traceparent: null,
    command: doAtOnce(readMany('create', body, MAX_RECORDS, newId)),
  }
}

/** A call that updates employees, and with `PUT` creates them, too. */
export function recordsCall(
  company: Caller,
  method: 'PATCH' | 'PUT',
  records: unknown[],
  more: Partial<WriteCall> = {},
): WriteCall {
  const command = doAtOnce(readMany(method === 'PUT' ? 'upsert' : 'update_many', records, MAX_RECORDS, newId))
  return { ...createCall(company, []), command, ...more }
}

/** The same with a large body. */
export function largeCall(
  company: Caller,
  method: 'PATCH' | 'PUT',
  records: unknown[],
  validateOnly = false,
): WriteCall {
  return recordsCall(company, method, records, { bodyBytes: LARGE_BODY, validateOnly })
}

/** A call that the company's administrator, or another user, makes by uploading a file. */
export function uploadCall(
  company: TestCompany,
  records: unknown[],
  {
    userId = company.admin.user_id,
    fileName = 'staff.csv',
    corrects = [],
    correctedRecords = {},
    part = null,
  }: Partial<CalledFile & { userId: string }> = {},
  method: 'PATCH' | 'PUT' = 'PUT',
): WriteCall {
  const caller = { userId, upload: { fileName, corrects, correctedRecords, part } }
  return recordsCall(company, method, records, { caller, protocol: FILE_UPLOAD })
}
