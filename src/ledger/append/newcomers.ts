import { LRUCache } from 'lru-cache'
import type { WriteCall } from '../../domain/calls/write-call.ts'
import { constraintOf } from '../../postgres/database-errors.ts'

/*
 * A call that creates many employees is decided without a look for employees who have their email addresses and external
 * ids already: there seldom are any, and the unique indexes of the directory refuse those. Then the transaction begins
 * again, and loads them first, so that the answer can name them.
 */

/** For fewer records, looking costs too little to matter, and the calls beside this one would have to begin again. */
const LEAST_RECORDS = 20
/** How long to look first in a company after its creations met employees, in milliseconds. */
const REMEMBERED_MS = 60_000
const MAX_COMPANIES = 10_000

/** The companies whose creations have just met employees. */
export type MetCompanies = LRUCache<string, true>

export function openMetCompanies(): MetCompanies {
  return new LRUCache({ max: MAX_COMPANIES, ttl: REMEMBERED_MS })
}

/** The calls whose employees are assumed to be new. */
export function findNewcomers(calls: readonly WriteCall[], met: MetCompanies): ReadonlySet<WriteCall> {
  return new Set(
    // What is only validated meets no index.
    calls.filter(
      ({ command, companyId, validateOnly }) =>
        command.operation === 'create' && command.count >= LEAST_RECORDS && !validateOnly && !met.has(companyId),
    ),
  )
}

/** Whether the directory has refused a value that another employee has. On a cluster, the name of the shard follows. */
export function isNameTaken(error: unknown): boolean {
  return /^employee_directory_(?:email|external_id)(?:_\d+)?$/.test(constraintOf(error) ?? '')
}
