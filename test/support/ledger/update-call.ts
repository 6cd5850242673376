import { newId } from '../../../src/ledger/new-id.ts'
import { readUpdateMany, readUpsertMany } from '../../../src/domain/calls/commands.ts'
import type { WriteCall } from '../../../src/domain/calls/write-call.ts'
import type { TestCompany } from '../service.ts'
import { createCall } from './create-call.ts'

const MAX_RECORDS = 1_000
/** A body of this size makes any call a large one. */
const LARGE_BODY = 64 * 1024

/** A large call that updates employees, and with `PUT` creates them, too, as the API hands it to the ledger. */
export function updateCall(
  company: Pick<TestCompany, 'id' | 'key'>,
  method: 'PATCH' | 'PUT',
  records: unknown[],
  validateOnly = false,
): WriteCall {
  const command = method === 'PUT' ? readUpsertMany(records, MAX_RECORDS, newId) : readUpdateMany(records, MAX_RECORDS)
  return { ...createCall(company, []), bodyBytes: LARGE_BODY, validateOnly, command }
}
