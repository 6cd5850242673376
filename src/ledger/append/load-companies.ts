import { isTurnOver, nextTurn } from '#admission/turns'
import { actorOf } from '#domain/calls/callers'
import { recordsOf, isSmall, type WriteCall } from '#domain/calls/commands'
import { hasLocalPhones } from '#domain/calls/local-phones'
import type { QueryClient, WhenLocked } from '#postgres/pool'
import { headAt, type QueryMore, type Head, type LockedCompany } from './company-state.ts'
import type { EmployeeCache } from './employee-cache.ts'
import { boundName, loadBoundKeys, type KeyOfCall } from './idempotency-keys.ts'
import { loadReportingLines } from './load-reporting-lines.ts'
import { findNeeded, gatherEmployees, loadNamed } from './needed-employees.ts'
import * as statements from './statements.ts'

interface LoadOptions {
  cache: EmployeeCache
  /** Creations that are decided as if all their employees were new. */
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
  const [keys, roles, countries, bound, named] = await Promise.all([
    unlessEmpty(keysOf(calls), (names) => statements.loadKeys(client, names, whenLocked)),
    unlessEmpty(usersOf(calls), (users) => statements.loadRoles(client, users)),
    // Only if records have local phone numbers.
    unlessEmpty(companiesWithLocalPhones(calls), (ids) => statements.loadCountries(client, ids)),
    unlessEmpty(boundNamesOf(calls), (names) => loadBoundKeys(client, names)),
    loadNamed(client, findNeeded(calls, cache, unchecked)),
  ])
  return { keys, roles, countries: new Map(countries), bound, named }
}

async function unlessEmpty<Wanted, Row>(wanted: Wanted[], load: (wanted: Wanted[]) => Promise<Row[]>): Promise<Row[]> {
  return wanted.length === 0 ? [] : load(wanted)
}

/**
 * Assembles the state of the companies whose heads are locked. With `skip locked`, a company is left out if a reading
 * call holds the usage of one of its keys.
 */
export async function loadCompanies(
  query: QueryMore,
  heads: Head[],
  calls: WriteCall[],
  { keys, roles, countries, bound, named }: LoadedRows,
  { cache, whenLocked, now }: Pick<LoadOptions, 'cache' | 'whenLocked'> & { now: string },
): Promise<Map<string, LockedCompany>> {
  const employees = await gatherEmployees(query, cache, heads, named, countries)
  const companies = new Map<string, LockedCompany>()
  for (const head of heads) {
    const { companyId, frontier } = head
    companies.set(companyId, {
      head: headAt(head, now),
      position: frontier.size,
      employees: employees.get(companyId)!,
      active: null,
      activeSince: 0,
      country: countries.get(companyId) ?? null,
      keys: new Map(),
      roles: new Map(),
      bound: new Map(),
    })
  }
  if (whenLocked === 'skip locked') leaveOutHeldUp(companies, keysOf(calls), keys)
  for (const { companyId, key, usage } of keys) companies.get(companyId)?.keys.set(key.id, { key, usage })
  for (const { companyId, userId, role } of roles) companies.get(companyId)?.roles.set(userId, role)
  for (const { companyId, bound: answer, ...key } of bound) companies.get(companyId)?.bound.set(boundName(key), answer)
  // The employees of a large call have just been put in place.
  if (calls.some((call) => !isSmall(call)) && isTurnOver()) await nextTurn()
  await loadReportingLines(query, calls, companies)
  return companies
}

type KeyOfCompany = Pick<WriteCall, 'companyId'> & { apiId: string }

function keysOf(calls: WriteCall[]): KeyOfCompany[] {
  const keys = calls.flatMap(({ companyId, caller }) => ('apiId' in caller ? [{ companyId, apiId: caller.apiId }] : []))
  return [...new Map(keys.map((key) => [key.apiId, key])).values()]
}

function usersOf(calls: WriteCall[]) {
  return calls.flatMap(({ companyId, caller }) => ('userId' in caller ? [{ companyId, userId: caller.userId }] : []))
}

function companiesWithLocalPhones(calls: WriteCall[]) {
  const withLocal = calls.filter(({ command }) => recordsOf(command).some(hasLocalPhones))
  return [...new Set(withLocal.map(({ companyId }) => companyId))]
}

function boundNamesOf(calls: WriteCall[]): KeyOfCall[] {
  return calls.flatMap((call) => {
    const { companyId, idempotency } = call
    return idempotency ? [{ companyId, actor: actorOf(call), keyHash: idempotency.keyHash }] : []
  })
}

/** Keys are never deleted, so a key that was not found is held by another transaction. */
function leaveOutHeldUp(
  companies: Map<string, LockedCompany>,
  names: KeyOfCompany[],
  stored: { key: { id: string } }[],
) {
  const ids = new Set(stored.map(({ key }) => key.id))
  for (const { companyId, apiId } of names) if (!ids.has(apiId)) companies.delete(companyId)
}
