import type { ReadRecord } from '#domain/calls/call-records'
import { recordsOf, type Command, isSmall, type WriteCall } from '#domain/calls/commands'
import { claimedValues, NOBODY, touchedValues, union, type Naming } from '#domain/calls/uniqueness'
import type { QueryClient } from '#postgres/pool'
import { loadEmployees, type OwnedEmployee } from '../read/read-employees.ts'
import type { Head, QueryMore } from './company-state.ts'
import type { CachedEmployees, EmployeeCache } from './employee-cache.ts'
import { LoadedEmployees } from './employee-index.ts'
import { findDigests, recognizeUnchanged, usesDigests, type FoundRecord, type LocatedRecord } from './record-digests.ts'

/*
 * The employees whom calls need when they are decided. This process knows many of them from earlier calls, and the others
 * are loaded in up to three round trips:
 *
 *     named     Whom the calls name. They are loaded with the statement that locks the heads.
 *     changing  Of a large call, those whose records may change something, as their digests don't show the contrary.
 *     holding   Those who have a value that a large call sets for somebody else.
 *
 * If another process has changed a company since, all are loaded whom this process knew.
 */

/** The employees whom the calls of a company need, and what this process knows of them. */
interface NeededEmployees {
  companyId: string
  named: Naming
  known: CachedEmployees
  comparison: Comparison | null
  /** The large calls that may set what somebody else has. */
  setting: readonly WriteCall[]
}

/** The first call of a company, if it is large: no other call changes what its records are compared with. */
interface Comparison {
  callId: string
  /** Whom its records are about. */
  located: Naming
  known: CachedEmployees
  /** The records of those whom this process doesn't know, which are compared with digests. */
  compared: LocatedRecord['record'][]
  /** The records that can't be compared. They count as naming their employees. */
  others: ReadRecord[]
}

/** Finds out whom calls need. For those that are unchecked, nobody is looked up who may have the values that they set. */
export function findNeeded(
  calls: readonly WriteCall[],
  cache: EmployeeCache,
  unchecked: ReadonlySet<WriteCall>,
): NeededEmployees[] {
  return [...Map.groupBy(calls, ({ companyId }) => companyId)].map(([companyId, callsOfCompany]) => {
    const [first, ...rest] = callsOfCompany as [WriteCall, ...WriteCall[]]
    const comparison = usesDigests(first) ? compareRecords(first, cache) : null
    const named = union([...namedBy(first, comparison?.others), ...rest.flatMap((call) => namedBy(call))])
    return {
      companyId,
      named,
      known: cache.find(companyId, named),
      comparison,
      setting: callsOfCompany.filter((call) => !isSmall(call) && !unchecked.has(call)),
    }
  })
}

/**
 * Parts the records that can be compared with digests from those with errors, with a normalized external id, or with
 * expectations: whether these hold, only the state says.
 */
function compareRecords({ companyId, callId, command }: WriteCall, cache: EmployeeCache): Comparison {
  const records = recordsOf(command)
  const isComparable = (record: ReadRecord): record is LocatedRecord['record'] =>
    record.errors.count === 0 &&
    record.locator !== null &&
    record.locator.asStored === undefined &&
    record.expects === undefined
  const { located } = command.touches
  const known = cache.find(companyId, located)
  return {
    callId,
    located,
    known,
    compared: locatedBy(records.filter(isComparable), known.missing),
    others: records.filter((record) => !isComparable(record)),
  }
}

/** The records that name their employees by one of these names. */
function locatedBy(records: LocatedRecord['record'][], { employeeIds, emails, externalIds, userNames }: Naming) {
  const names = {
    id: new Set(employeeIds),
    email: new Set(emails),
    external_id: new Set(externalIds),
    user_name: new Set(userNames),
  }
  return records.filter(({ locator }) => names[locator.field].has(locator.value))
}

/** Whom a call names. If records of it are compared with digests, `others` are the rest, and name whom they are about. */
function namedBy(call: WriteCall, others?: ReadRecord[]) {
  const { located, managers, claimed } = call.command.touches
  if (isSmall(call)) return [located, managers, claimed]
  return [others ? touchedValues(others).located : located, managers]
}

type LoadedNamed = Awaited<ReturnType<typeof loadNamed>>

/** Loads those who are named and not known, and the digests of the records that are compared. */
export async function loadNamed(client: QueryClient, needed: NeededEmployees[]) {
  const unknown = needed.map(({ companyId, known }) => ({ companyId, naming: known.missing }))
  const compared = needed.flatMap(({ companyId, comparison }) =>
    (comparison?.compared ?? []).map((record) => ({ companyId, record })),
  )
  const [employees, digests] = await Promise.all([loadBy(client, unknown), findDigests(client, compared)])
  return { needed, employees, digests }
}

/** Brings together the employees of the companies whose heads are locked. */
export async function gatherEmployees(
  query: QueryMore,
  cache: EmployeeCache,
  heads: Head[],
  { needed, employees, digests }: LoadedNamed,
  countries: ReadonlyMap<string, string>,
): Promise<Map<string, LoadedEmployees>> {
  const gathered = new Map(heads.map(({ companyId }) => [companyId, new LoadedEmployees()]))
  const put = (owned: OwnedEmployee[]) => {
    for (const { companyId, employee } of owned) gathered.get(companyId)?.put(employee)
  }
  put(employees)
  const headOf = new Map(heads.map((head) => [head.companyId, head]))
  const locked = needed.flatMap((company): LockedNeed[] => {
    const [head, into] = [headOf.get(company.companyId), gathered.get(company.companyId)]
    return head && into ? [{ ...company, head, into }] : []
  })
  const digestsOf = Map.groupBy(digests, ({ companyId }) => companyId)
  const changing: CompanyNaming[] = []
  for (const company of locked) {
    const { companyId } = company
    const found = digestsOf.get(companyId) ?? []
    changing.push({ companyId, naming: await takeKnown(company, found, countries.get(companyId) ?? null) })
  }
  put(await loadMore(query, changing))
  const holding = locked.map((company) => ({ companyId: company.companyId, naming: takeHolding(company, cache) }))
  put(await loadMore(query, holding))
  return gathered
}

interface LockedNeed extends NeededEmployees {
  head: Head
  /** The employees of the company, as far as they are here. */
  into: LoadedEmployees
}

/** Takes those who are known, and leaves out those whose records change nothing. Returns whom to load beside them. */
async function takeKnown(
  { named, known, comparison, head, into }: LockedNeed,
  found: FoundRecord[],
  country: string | null,
) {
  const allKnown = comparison ? [known, comparison.known] : [known]
  if (!allKnown.every(({ areCurrent }) => areCurrent(head))) return union([named, comparison?.located ?? NOBODY])
  for (const { employees } of allKnown) for (const employee of employees) into.put(employee)
  if (!comparison) return NOBODY
  const changing = await recognizeUnchanged(comparison.callId, found, comparison.others, into, country)
  return { ...NOBODY, employeeIds: changing.map(({ employeeId }) => employeeId) }
}

/** Takes those who are known to have a value that a large call sets. Returns the values of which nobody is known. */
function takeHolding({ companyId, setting, head, into }: LockedNeed, cache: EmployeeCache) {
  const values = into.find(union(setting.map(({ command }) => valuesSetBy(command, into)))).missing
  const known = cache.find(companyId, values)
  if (!known.areCurrent(head)) return values
  for (const employee of known.employees) into.put(employee)
  return known.missing
}

/** The values that the records of a command set, apart from those that change nothing. */
function valuesSetBy(command: Command, { unchanged }: LoadedEmployees) {
  if (unchanged.size === 0) return command.touches.claimed
  return claimedValues(recordsOf(command).filter((record) => !unchanged.has(record)))
}

/** Names of employees of a company. */
interface CompanyNaming {
  companyId: string
  naming: Naming
}

/** Loads those who have certain values, in addition to the employees of a company who are there. */
export async function loadHolders(query: QueryMore, of: CompanyNaming, into: LoadedEmployees) {
  const loaded = await loadMore(query, [of])
  // What is there already may have changed in this transaction.
  for (const { employee } of loaded) if (!into.byId(employee.id)) into.put(employee)
}

async function loadMore(query: QueryMore, named: CompanyNaming[]): Promise<OwnedEmployee[]> {
  return named.some(({ naming }) => sizeOf(naming) > 0) ? query((pipe) => loadBy(pipe, named)) : []
}

async function loadBy(client: QueryClient, named: CompanyNaming[]): Promise<OwnedEmployee[]> {
  const nonEmpty = named.filter(({ naming }) => sizeOf(naming) > 0)
  return nonEmpty.length === 0 ? [] : loadEmployees(client, nonEmpty)
}

function sizeOf(naming: Naming): number {
  return Object.values(naming).reduce((sum, named) => sum + named.length, 0)
}
