import type { Naming } from '../../domain/calls/touched-values.ts'
import { union } from '../../domain/calls/touched-values.ts'
import type { WriteCall } from '../../domain/calls/write-call.ts'
import { isSmall } from '../../domain/calls/write-call.ts'
import type { Ask, Head, LockedCompany } from './company-state.ts'
import { LoadedEmployees } from './company-state.ts'
import type { CachedEmployees, EmployeeCache } from './employee-cache.ts'
import { isSameBasis } from './employee-cache.ts'
import { boundName, loadBoundKeys } from './idempotency-keys.ts'
import { loadReportingLines } from './load-reporting-lines.ts'
import { headAt } from './place-events.ts'
import type { QueryClient } from '../../postgres/query-client.ts'
import type { OwnedEmployee } from './statements.ts'
import * as statements from './statements.ts'

export interface LoadOptions {
  cache: EmployeeCache
  /** Creations for which only managers are loaded. */
  unchecked: ReadonlySet<WriteCall>
  wait: boolean
}

/** The rows that the calls may need, of all their companies. */
type LoadedRows = Awaited<ReturnType<typeof loadRows>>

/**
 * Loads all rows that these calls may need. These statements travel in one packet with the one that locks the heads,
 * and after it. Each sees what was committed when it began, including the changes of the previous holder of a head.
 */
export async function loadRows(client: QueryClient, calls: WriteCall[], { cache, unchecked, wait }: LoadOptions) {
  const touched = findTouched(calls, cache, unchecked)
  const missing = touched.map(({ companyId, cached }) => ({ companyId, naming: cached.missing }))
  const [keys, now, bound, found] = await Promise.all([
    statements.loadKeys(client, wantedKeys(calls), wait),
    // After the rows that may have to be waited for, because the time is that of the decision.
    statements.readClock(client),
    loadBound(client, calls),
    loadNamed(client, missing),
  ])
  return { keys, now, bound, touched, found }
}

/** The employees that calls of a company may need, as far as they are cached. */
interface TouchedEmployees {
  companyId: string
  /** Those who are loaded with the locks. */
  naming: Naming
  cached: CachedEmployees
  /** Values that large calls set. Most of their records set what their employees already have. */
  taken: Naming
}

function findTouched(calls: WriteCall[], cache: EmployeeCache, unchecked: ReadonlySet<WriteCall>): TouchedEmployees[] {
  return [...Map.groupBy(calls, ({ companyId }) => companyId)].map(([companyId, own]) => {
    const naming = union(
      own.flatMap((call) => {
        const { located, managers, taken } = call.command.touches
        return isSmall(call) ? [located, managers, taken] : [located, managers]
      }),
    )
    const checked = own.filter((call) => !isSmall(call) && !unchecked.has(call))
    const taken = union(checked.map(({ command }) => command.touches.taken))
    return { companyId, naming, cached: cache.find(companyId, naming), taken }
  })
}

/**
 * Assembles the state of the companies whose heads are locked. Unless `wait` is set, a company is left out if a reading
 * call holds the usage of one of its keys.
 */
export async function loadCompanies(
  ask: Ask,
  heads: Head[],
  calls: WriteCall[],
  { keys, now, bound, touched, found }: LoadedRows,
  { cache, wait }: Pick<LoadOptions, 'cache' | 'wait'>,
): Promise<Map<string, LockedCompany>> {
  const employees = await settleEmployees(ask, cache, heads, touched, found)
  const companies = new Map<string, LockedCompany>()
  for (const head of heads) {
    const { companyId, frontier } = head
    const [loaded, position] = [employees.get(companyId)!, frontier.size]
    companies.set(companyId, {
      head: headAt(head, now),
      position,
      employees: loaded,
      keys: new Map(),
      bound: new Map(),
    })
  }
  if (!wait) leaveOutHeldUp(companies, wantedKeys(calls), keys)
  for (const { companyId, key, usage } of keys) companies.get(companyId)?.keys.set(key.id, { key, usage })
  for (const { companyId, bound: answer, ...key } of bound) companies.get(companyId)?.bound.set(boundName(key), answer)
  await loadReportingLines(ask, calls, companies)
  return companies
}

/**
 * Joins the loaded employees with the cached ones. If the basis of those has changed since, loads them now,
 * together with the holders of taken values who are still unknown.
 */
async function settleEmployees(
  ask: Ask,
  cache: EmployeeCache,
  heads: Head[],
  touched: TouchedEmployees[],
  found: OwnedEmployee[],
): Promise<Map<string, LoadedEmployees>> {
  const employees = new Map(heads.map(({ companyId }) => [companyId, new LoadedEmployees()]))
  for (const { companyId, employee } of found) employees.get(companyId)?.put(employee)
  const locked = new Map(heads.map((head) => [head.companyId, head]))
  const owed = touched.flatMap(({ companyId, naming, cached, taken }) => {
    const [head, loaded] = [locked.get(companyId), employees.get(companyId)]
    if (!head || !loaded) return []
    const isOutdated = cached.found.size > 0 && !isSameBasis(cached.basis, head)
    if (isOutdated) return [{ companyId, naming: union([naming, taken]) }]
    for (const employee of cached.found) loaded.put(employee)
    const unknown = loaded.find(taken).missing
    const known = cache.find(companyId, unknown)
    if (!isSameBasis(known.basis, head)) return [{ companyId, naming: unknown }]
    for (const employee of known.found) loaded.put(employee)
    return [{ companyId, naming: known.missing }]
  })
  const late = owed.some(({ naming }) => sizeOf(naming) > 0) ? await ask((pipe) => loadNamed(pipe, owed)) : []
  for (const { companyId, employee } of late) employees.get(companyId)?.put(employee)
  return employees
}

/** Loads employees of a company whose head is locked, in addition to those that are loaded. */
export async function loadMore(ask: Ask, companyId: string, naming: Naming, into: LoadedEmployees): Promise<void> {
  if (sizeOf(naming) === 0) return
  const found = await ask((pipe) => loadNamed(pipe, [{ companyId, naming }]))
  // What is there already may have changed in this transaction.
  for (const { employee } of found) if (!into.byId(employee.id)) into.put(employee)
}

type WantedKey = Pick<WriteCall, 'companyId' | 'apiId'>

function wantedKeys(calls: WriteCall[]): WantedKey[] {
  return [...new Map(calls.map(({ companyId, apiId }) => [apiId, { companyId, apiId }])).values()]
}

/** Keys are never deleted, so a key that was not found is held by another transaction. */
function leaveOutHeldUp(
  companies: Map<string, LockedCompany>,
  wanted: WantedKey[],
  found: { key: { id: string } }[],
): void {
  const ids = new Set(found.map(({ key }) => key.id))
  for (const { companyId, apiId } of wanted) if (!ids.has(apiId)) companies.delete(companyId)
}

async function loadNamed(client: QueryClient, named: { companyId: string; naming: Naming }[]) {
  const wanted = named.filter(({ naming }) => sizeOf(naming) > 0)
  return wanted.length === 0 ? [] : statements.loadEmployees(client, wanted)
}

async function loadBound(client: QueryClient, calls: WriteCall[]) {
  const wanted = calls.flatMap(({ companyId, apiId, idempotency }) =>
    idempotency ? [{ companyId, apiId, keyHash: idempotency.keyHash }] : [],
  )
  return wanted.length === 0 ? [] : loadBoundKeys(client, wanted)
}

function sizeOf({ employeeIds, emails, externalIds }: Naming): number {
  return employeeIds.length + emails.length + externalIds.length
}
