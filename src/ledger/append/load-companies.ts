import { isTurnOver, nextTurn } from '../../admission/turns.ts'
import { claimedValues, NOBODY, touchedValues, union, type Naming } from '../../domain/calls/touched-values.ts'
import type { Employee } from '../../domain/employees/employee.ts'
import type { ReadRecord } from '../../domain/calls/call-records.ts'
import { recordsOf, type Command } from '../../domain/calls/commands.ts'
import { hasLocalPhones } from '../../domain/calls/local-phones.ts'
import { isSmall, type WriteCall } from '../../domain/calls/write-call.ts'
import { actorOf } from '../../domain/calls/callers.ts'
import { LoadedEmployees } from './employee-index.ts'
import { isSameBasis, type CachedEmployees, type EmployeeCache } from './employee-cache.ts'
import { boundName, loadBoundKeys, type KeyOfCall } from './idempotency-keys.ts'
import { findDigests, recognizeUnchanged, usesDigests, type LocatedRecord } from './record-digests.ts'
import { loadReportingLines } from './load-reporting-lines.ts'
import { headAt, type QueryMore, type Head, type LockedCompany } from './company-state.ts'
import { loadEmployees, type OwnedEmployee } from '../read/read-employees.ts'
import type { QueryClient, WhenLocked } from '../../postgres/query-client.ts'
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
  const compared = touched.flatMap(({ companyId, compared }) => compared.map((record) => ({ companyId, record })))
  const [keys, roles, countries, bound, employees, digests] = await Promise.all([
    unlessEmpty(keysOf(calls), (names) => statements.loadKeys(client, names, whenLocked)),
    unlessEmpty(usersOf(calls), (users) => statements.loadRoles(client, users)),
    // Only if records have local phone numbers.
    unlessEmpty(companiesWithLocalPhones(calls), (ids) => statements.loadCountries(client, ids)),
    unlessEmpty(boundNamesOf(calls), (names) => loadBoundKeys(client, names)),
    loadNamed(client, missing),
    findDigests(client, compared),
  ])
  return { keys, roles, countries: new Map(countries), bound, touched, found: employees, digests }
}

async function unlessEmpty<Wanted, Row>(wanted: Wanted[], load: (wanted: Wanted[]) => Promise<Row[]>): Promise<Row[]> {
  return wanted.length === 0 ? [] : load(wanted)
}

/** The employees that calls of a company may need, as far as they are cached. */
interface TouchedEmployees {
  companyId: string
  /** Those whom the calls name, apart from those with values that large calls set. */
  naming: Naming
  cached: Omit<CachedEmployees, 'employees'> & { employees: Employee[] }
  /** The call whose records are compared with digests: the first one, as no other has changed anything before it. */
  comparing: WriteCall | null
  /** Those of its records that are compared, because their employees are not cached. */
  compared: LocatedRecord['record'][]
  /** Those of its records that cannot be compared. */
  others: ReadRecord[]
  /** Large calls. Most of their records set what their employees already have. */
  large: WriteCall[]
}

function findTouched(calls: WriteCall[], cache: EmployeeCache, unchecked: ReadonlySet<WriteCall>): TouchedEmployees[] {
  return [...Map.groupBy(calls, ({ companyId }) => companyId)].map(([companyId, callsOfCompany]) => {
    const [first] = callsOfCompany as [WriteCall]
    const comparing = usesDigests(first) ? first : null
    const [comparable, others] = partitionComparable(comparing ? recordsOf(comparing.command) : [])
    const located = cache.find(companyId, comparing?.command.touches.located ?? NOBODY)
    const naming = union(
      callsOfCompany.flatMap((call) => {
        const { located, managers, claimed } = call.command.touches
        if (isSmall(call)) return [located, managers, claimed]
        return [call === comparing ? touchedValues(others).located : located, managers]
      }),
    )
    const named = cache.find(companyId, naming)
    return {
      companyId,
      naming,
      cached: { ...named, employees: [...named.employees, ...located.employees] },
      comparing,
      compared: locatedBy(comparable, located.missing),
      others,
      large: callsOfCompany.filter((call) => !isSmall(call) && !unchecked.has(call)),
    }
  })
}

/**
 * Parts the records that can be compared with digests from those with errors, with a normalized external id, or with
 * expectations: whether these hold, only the state says.
 */
function partitionComparable(records: ReadRecord[]): [comparable: LocatedRecord['record'][], others: ReadRecord[]] {
  const isComparable = (record: ReadRecord): record is LocatedRecord['record'] =>
    record.errors.count === 0 &&
    record.locator !== null &&
    record.locator.asSent === undefined &&
    record.expects === undefined
  return [records.filter(isComparable), records.filter((record) => !isComparable(record))]
}

/** The records that name their employees by one of these names. */
function locatedBy(
  records: LocatedRecord['record'][],
  { employeeIds, emails, externalIds, userNames }: Naming,
): LocatedRecord['record'][] {
  const names = {
    id: new Set(employeeIds),
    email: new Set(emails),
    external_id: new Set(externalIds),
    user_name: new Set(userNames),
  }
  return records.filter(({ locator }) => names[locator.field].has(locator.value))
}

/**
 * Assembles the state of the companies whose heads are locked. With `skip locked`, a company is left out if a reading
 * call holds the usage of one of its keys.
 */
export async function loadCompanies(
  query: QueryMore,
  heads: Head[],
  calls: WriteCall[],
  { keys, roles, countries, bound, ...rows }: LoadedRows,
  { cache, whenLocked, now }: Pick<LoadOptions, 'cache' | 'whenLocked'> & { now: string },
): Promise<Map<string, LockedCompany>> {
  const employees = await settleEmployees(query, cache, heads, { ...rows, countries })
  const companies = new Map<string, LockedCompany>()
  for (const head of heads) {
    const { companyId, frontier } = head
    const [loaded, position] = [employees.get(companyId)!, frontier.size]
    companies.set(companyId, {
      head: headAt(head, now),
      position,
      employees: loaded,
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

/**
 * Joins the loaded employees with the cached ones. Then loads those whom records may change, and those who are cached on
 * another basis, and at last the holders of values that nobody of these has.
 */
async function settleEmployees(
  query: QueryMore,
  cache: EmployeeCache,
  heads: Head[],
  {
    touched,
    found: loadedEmployees,
    digests,
    countries,
  }: Pick<LoadedRows, 'touched' | 'found' | 'digests' | 'countries'>,
): Promise<Map<string, LoadedEmployees>> {
  const employees = new Map(heads.map(({ companyId }) => [companyId, new LoadedEmployees()]))
  const put = (owned: OwnedEmployee[]) => {
    for (const { companyId, employee } of owned) employees.get(companyId)?.put(employee)
  }
  put(loadedEmployees)
  const digestsByCompany = Map.groupBy(digests, ({ companyId }) => companyId)
  const headOf = new Map(heads.map((head) => [head.companyId, head]))
  const locked = touched.flatMap((one) => {
    const [head, loaded] = [headOf.get(one.companyId), employees.get(one.companyId)]
    return head && loaded ? [{ ...one, head, loaded }] : []
  })
  const changing: { companyId: string; naming: Naming }[] = []
  for (const { companyId, head, loaded, naming, cached, comparing, others } of locked) {
    const isOutdated = cached.employees.length > 0 && !isSameBasis(cached.basis, head)
    if (isOutdated) {
      changing.push({ companyId, naming: union([naming, comparing?.command.touches.located ?? NOBODY]) })
      continue
    }
    for (const employee of cached.employees) loaded.put(employee)
    const found = digestsByCompany.get(companyId) ?? []
    const country = countries.get(companyId) ?? null
    const compared = comparing ? await recognizeUnchanged(comparing.callId, found, others, loaded, country) : []
    changing.push({ companyId, naming: { ...NOBODY, employeeIds: compared.map(({ employeeId }) => employeeId) } })
  }
  put(await loadLate(query, changing))
  const holding = locked.map(({ companyId, head, loaded, large }) => {
    const claimed = union(large.map(({ command }) => claimedBy(command, loaded)))
    const unknown = loaded.find(claimed).missing
    const cached = cache.find(companyId, unknown)
    if (!isSameBasis(cached.basis, head)) return { companyId, naming: unknown }
    for (const employee of cached.employees) loaded.put(employee)
    return { companyId, naming: cached.missing }
  })
  put(await loadLate(query, holding))
  return employees
}

/** Loads employees whose need shows only once others are known. */
async function loadLate(query: QueryMore, named: { companyId: string; naming: Naming }[]): Promise<OwnedEmployee[]> {
  return named.some(({ naming }) => sizeOf(naming) > 0) ? query((pipe) => loadNamed(pipe, named)) : []
}

/** The values that the records of a command set, apart from those that change nothing. */
function claimedBy(command: Command, { unchanged }: LoadedEmployees): Naming {
  if (unchanged.size === 0) return command.touches.claimed
  return claimedValues(recordsOf(command).filter((record) => !unchanged.has(record)))
}

/** Loads employees of a company whose head is locked, in addition to those that are loaded. */
export async function loadMore(
  query: QueryMore,
  companyId: string,
  naming: Naming,
  into: LoadedEmployees,
): Promise<void> {
  const stored = await loadLate(query, [{ companyId, naming }])
  // What is there already may have changed in this transaction.
  for (const { employee } of stored) if (!into.byId(employee.id)) into.put(employee)
}

type KeyOfCompany = Pick<WriteCall, 'companyId'> & { apiId: string }

function keysOf(calls: WriteCall[]): KeyOfCompany[] {
  const keys = calls.flatMap(({ companyId, caller }) => ('apiId' in caller ? [{ companyId, apiId: caller.apiId }] : []))
  return [...new Map(keys.map((key) => [key.apiId, key])).values()]
}

function usersOf(calls: WriteCall[]): { companyId: string; userId: string }[] {
  return calls.flatMap(({ companyId, caller }) => ('userId' in caller ? [{ companyId, userId: caller.userId }] : []))
}

function companiesWithLocalPhones(calls: WriteCall[]): string[] {
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
): void {
  const ids = new Set(stored.map(({ key }) => key.id))
  for (const { companyId, apiId } of names) if (!ids.has(apiId)) companies.delete(companyId)
}

function loadNamed(client: QueryClient, named: { companyId: string; naming: Naming }[]) {
  const nonEmpty = named.filter(({ naming }) => sizeOf(naming) > 0)
  return unlessEmpty(nonEmpty, (names) => loadEmployees(client, names))
}

function sizeOf(naming: Naming): number {
  return Object.values(naming).reduce((sum, named) => sum + named.length, 0)
}
