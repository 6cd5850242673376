import { readUpdateMany, readUpsertMany } from '../../../src/domain/calls/commands.ts'
import type { WriteCall } from '../../../src/domain/calls/write-call.ts'
import type { UserCaller } from '../../../src/domain/calls/callers.ts'
import { newId } from '../../../src/ledger/new-id.ts'
import type { TestCompany } from '../service.ts'
import { createCall } from './create-call.ts'

const MAX_RECORDS = 1_000

/** A call that the company's administrator, or another user, makes by uploading a file. */
export function uploadCall(
  company: TestCompany,
  records: unknown[],
  { userId = company.admin.user_id, fileName = 'staff.csv', corrects = [], part = null }: Partial<UserCaller> = {},
  operation: 'upsert' | 'update_many' = 'upsert',
): WriteCall {
  const command =
    operation === 'upsert' ? readUpsertMany(records, MAX_RECORDS, newId) : readUpdateMany(records, MAX_RECORDS)
  return { ...createCall(company, []), caller: { userId, fileName, corrects, part }, command }
}
