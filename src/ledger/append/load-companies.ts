import type { Naming } from '../../domain/calls/touched-values.ts'
import { union } from '../../domain/calls/touched-values.ts'
import type { WriteCall } from '../../domain/calls/write-call.ts'
import { actorOf } from '../../domain/calls/callers.ts'
import { isSmall } from '../../domain/calls/write-call.ts'
import type { Ask, Head, LockedCompany } from './company-state.ts'
import { LoadedEmployees } from './company-state.ts'
import type { CachedEmployees, EmployeeCache } from './employee-cache.ts'
import { isSameBasis } from './employee-cache.ts'
import { boundName, loadBoundKeys } from './idempotency-keys.ts'
import { loadReportingLines } from './load-reporting-lines.ts'
import { headAt } from './place-events.ts'
import type { QueryClient, WhenLocked } from '../../postgres/query-client.ts'
import type { OwnedEmployee } from './statements.ts'
import * as statements from './statements.ts'

export interface LoadOptions {
  cache: EmployeeCache
  /** Creations for which only managers are loaded. */
  unchecked: ReadonlySet<WriteCall>
  whenLocked: WhenLocked
}

/** The rows that the calls may need, of all their companies. */
type LoadedRows = Awaited<ReturnType<typeof loadRows>>

/**
 * Loads all rows that these calls may need. These statements travel in one packet with the one that locks the heads,
 * and after it. Each sees what was committed when it began, including the changes of the previous holder of a head.
 */
export async function loadRows(client: QueryClient, calls: WriteCall[], { cache, unchecked, whenLocked }: LoadOptions) {
  const touched = findTouched(calls, cache, unchecked)
  const missing = touched.map(({ companyId, cached }) => ({ companyId, naming: cached.missing }))
  const [keys, roles, now, bound, employees] = await Promise.all([
    statements.loadKeys(client, keysOf(calls), whenLocked),
    loadRoles(client, calls),
    // After the rows that may have to be waited for, because the time is that of the decision.
    statements.readClock(client),
    loadBound(client, calls),
    loadNamed(client, missing),
  ])
  return { keys, roles, now, bound, touched, found: employees }
}

/** The employees that calls of a company may need, as far as they are cached. */
interface TouchedEmployees {
  companyId: string
  /** Those who are loaded with the locks. */
  naming: Naming
  cached: CachedEmployees
  /** Values that large calls set. Most of their records set what their employees already have. */
  claimed: Naming
}

function findTouched(calls: WriteCall[], cache: EmployeeCache, unchecked: ReadonlySet<WriteCall>): TouchedEmployees[] {
  return [...Map.groupBy(calls, ({ companyId }) => companyId)].map(([companyId, callsOfCompany]) => {
    const naming = union(
      callsOfCompany.flatMap((call) => {
        const { located, managers, claimed } = call.command.touches
        return isSmall(call) ? [located, managers, claimed] : [located, managers]
      }),
    )
    const checked = callsOfCompany.filter((call) => !isSmall(call) && !unchecked.has(call))
    const claimed = union(checked.map(({ command }) => command.touches.claimed))
    return { companyId, naming, cached: cache.find(companyId, naming), claimed }
  })
}

/**
 * Assembles the state of the companies whose heads are locked. With `skip locked`, a company is left out if a reading
 * call holds the usage of one of its keys.
 */
export async function loadCompanies(
  ask: Ask,
  heads: Head[],
  calls: WriteCall[],
  { keys, roles, now, bound, touched, found: loadedEmployees }: LoadedRows,
  { cache, whenLocked }: Pick<LoadOptions, 'cache' | 'whenLocked'>,
): Promise<Map<string, LockedCompany>> {
  const employees = await settleEmployees(ask, cache, heads, touched, loadedEmployees)
  const companies = new Map<string, LockedCompany>()
  for (const head of heads) {
    const { companyId, frontier } = head
    const [loaded, position] = [employees.get(companyId)!, frontier.size]
    companies.set(companyId, {
      head: headAt(head, now),
      position,
      employees: loaded,
      keys: new Map(),
      roles: new Map(),
      bound: new Map(),
    })
  }
  if (whenLocked === 'skip locked') leaveOutHeldUp(companies, keysOf(calls), keys)
  for (const { companyId, key, usage } of keys) companies.get(companyId)?.keys.set(key.id, { key, usage })
  for (const { companyId, userId, role } of roles) companies.get(companyId)?.roles.set(userId, role)
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
  loadedEmployees: OwnedEmployee[],
): Promise<Map<string, LoadedEmployees>> {
  const employees = new Map(heads.map(({ companyId }) => [companyId, new LoadedEmployees()]))
  for (const { companyId, employee } of loadedEmployees) employees.get(companyId)?.put(employee)
  const locked = new Map(heads.map((head) => [head.companyId, head]))
  const owed = touched.flatMap(({ companyId, naming, cached, claimed }) => {
    const [head, loaded] = [locked.get(companyId), employees.get(companyId)]
    if (!head || !loaded) return []
    const isOutdated = cached.employees.size > 0 && !isSameBasis(cached.basis, head)
    if (isOutdated) return [{ companyId, naming: union([naming, claimed]) }]
    for (const employee of cached.employees) loaded.put(employee)
    const unknown = loaded.find(claimed).missing
    const cachedEmployees = cache.find(companyId, unknown)
    if (!isSameBasis(cachedEmployees.basis, head)) return [{ companyId, naming: unknown }]
    for (const employee of cachedEmployees.employees) loaded.put(employee)
    return [{ companyId, naming: cachedEmployees.missing }]
  })
  const late = owed.some(({ naming }) => sizeOf(naming) > 0) ? await ask((pipe) => loadNamed(pipe, owed)) : []
  for (const { companyId, employee } of late) employees.get(companyId)?.put(employee)
  return employees
}

/** Loads employees of a company whose head is locked, in addition to those that are loaded. */
export async function loadMore(ask: Ask, companyId: string, naming: Naming, into: LoadedEmployees): Promise<void> {
  if (sizeOf(naming) === 0) return
  const stored = await ask((pipe) => loadNamed(pipe, [{ companyId, naming }]))
  // What is there already may have changed in this transaction.
  for (const { employee } of stored) if (!into.byId(employee.id)) into.put(employee)
}

type KeyOfCompany = Pick<WriteCall, 'companyId'> & { apiId: string }

function keysOf(calls: WriteCall[]): KeyOfCompany[] {
  const keys = calls.flatMap(({ companyId, caller }) => ('apiId' in caller ? [{ companyId, apiId: caller.apiId }] : []))
  return [...new Map(keys.map((key) => [key.apiId, key])).values()]
}

async function loadRoles(client: QueryClient, calls: WriteCall[]) {
  const users = calls.flatMap(({ companyId, caller }) =>
    'userId' in caller ? [{ companyId, userId: caller.userId }] : [],
  )
  return users.length === 0 ? [] : statements.loadRoles(client, users)
}

/** Keys are never deleted, so a key that was not found is held by another transaction. */
function leaveOutHeldUp(
  companies: Map<string, LockedCompany>,
  names: KeyOfCompany[],
  stored: { key: { id: string } }[],
): void {
  const ids = new Set(stored.map(({ key }) => key.id))
  for (const { companyId, apiId } of names) if (!ids.has(apiId)) companies.delete(companyId)
}

async function loadNamed(client: QueryClient, named: { companyId: string; naming: Naming }[]) {
  const nonEmpty = named.filter(({ naming }) => sizeOf(naming) > 0)
  return nonEmpty.length === 0 ? [] : statements.loadEmployees(client, nonEmpty)
}

async function loadBound(client: QueryClient, calls: WriteCall[]) {
  const names = calls.flatMap((call) =>
    call.idempotency ? [{ companyId: call.companyId, actor: actorOf(call), keyHash: call.idempotency.keyHash }] : [],
  )
  return names.length === 0 ? [] : loadBoundKeys(client, names)
}

function sizeOf({ employeeIds, emails, externalIds }: Naming): number {
  return employeeIds.length + emails.length + externalIds.length
}
