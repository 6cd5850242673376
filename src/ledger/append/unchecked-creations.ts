import { LRUCache } from 'lru-cache'
import { upTo } from '#admission/cache-size'
import { createsAll } from '#domain/operations'
import { isSmall, type WriteCall } from '#domain/calls/commands'
import { constraintOf } from '#postgres/database-errors'

/*
 * A call that creates many employees is decided without loading the employees who may already have its email addresses
 * and external ids: there seldom are any. If the unique indexes of the directory refuse it, the transaction starts again
 * and loads them, so that the answer can name them.
 */

/** How long a company's creations load employees first after a conflict, in milliseconds. */
const REMEMBERED_MS = 60_000
const MAX_COMPANIES = 10_000

/** The companies whose creations have just conflicted with employees. */
export type RecentConflicts = LRUCache<string, true>

export function createRecentConflicts(): RecentConflicts {
  return new LRUCache({ ...upTo(MAX_COMPANIES), ttl: REMEMBERED_MS })
}

/**
 * The calls that are decided as if all their employees were new. A company with other calls in the transaction has none:
 * those could give an employee another value before the directory sees the one that is taken.
 */
export function findUncheckedCreations(
  calls: readonly WriteCall[],
  conflicts: RecentConflicts,
): ReadonlySet<WriteCall> {
  const isCreation = ({ command }: WriteCall) => createsAll(command.operation)
  const changing = new Set(calls.filter((call) => !isCreation(call)).map((call) => call.companyId))
  return new Set(
    calls.filter(
      (call) =>
        isCreation(call) &&
        !isSmall(call) &&
        // What is only validated meets no index.
        !call.validateOnly &&
        !changing.has(call.companyId) &&
        !conflicts.has(call.companyId),
    ),
  )
}

/** Whether the directory has refused a value that another employee has. On a cluster, the name of the shard follows. */
export function isNameTaken(error: unknown) {
  return /^employee_directory_(?:email|external_id|user_name)(?:_\d+)?$/.test(constraintOf(error) ?? '')
}
