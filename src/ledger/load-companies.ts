import type { ClientBase } from 'pg'
import type { Head, LockedCompany, Naming } from './company-state.ts'
import { LoadedEmployees } from './company-state.ts'
import type { LedgerCall } from './commit.ts'
import { boundName, loadBoundKeys } from './idempotency-keys.ts'
import { findSuperiors, loadManagerChains } from './reporting-line-statements.ts'
import { headAt } from './place-events.ts'
import * as statements from './statements.ts'

type Call = Pick<LedgerCall<unknown>, 'companyId' | 'apiId' | 'idempotency' | 'touches'>

/** Loads all that these calls may ask their companies about, once the heads of those are locked. */
export async function loadCompanies(client: ClientBase, heads: Head[], calls: Call[]): Promise<Map<string, LockedCompany>> {
  const apiIds = new Map(calls.map(({ companyId, apiId }) => [apiId, { companyId, apiId }]))
  const [now, keys, bound, ...found] = await Promise.all([
    statements.readClock(client),
    statements.loadKeys(client, [...apiIds.values()]),
    loadBound(client, calls),
    ...(['employeeIds', 'emails', 'externalIds'] as const).map((by) => loadTouched(client, calls, by)),
  ])
  const employees = Map.groupBy(found.flat(), ({ companyId }) => companyId)
  const companies = new Map<string, LockedCompany>()
  for (const head of heads) {
    const loaded = new LoadedEmployees((employees.get(head.companyId) ?? []).map(({ employee }) => employee))
    companies.set(head.companyId, { head: headAt(head, now), employees: loaded, keys: new Map(), bound: new Map() })
  }
  for (const { companyId, key, usage } of keys) companies.get(companyId)?.keys.set(key.id, { key, usage })
  for (const { companyId, bound: answer, ...key } of bound) companies.get(companyId)?.bound.set(boundName(key), answer)
  await loadSuperiors(client, calls, companies)
  return companies
}

async function loadTouched(client: ClientBase, calls: Call[], by: keyof Naming) {
  const wanted = calls.flatMap(({ companyId, touches }) => touches.all[by].map((value) => ({ companyId, value })))
  return wanted.length === 0 ? [] : statements.loadEmployees(client, by, wanted)
}

async function loadBound(client: ClientBase, calls: Call[]) {
  const wanted = calls.flatMap(({ companyId, apiId, idempotency }) =>
    idempotency ? [{ companyId, apiId, keyHash: idempotency.keyHash }] : [],
  )
  return wanted.length === 0 ? [] : loadBoundKeys(client, wanted)
}

/**
 * Loads who stands above the new managers, which a circle could lead through. That takes somebody who gets a new manager
 * and has people below already: without one, a circle could only lead through employees of the calls themselves.
 */
async function loadSuperiors(client: ClientBase, calls: Call[], companies: Map<string, LockedCompany>): Promise<void> {
  const named = (which: 'remanaged' | 'managers') =>
    calls.flatMap(({ companyId, touches }) => {
      const employees = companies.get(companyId)?.employees
      return employees ? employees.named(touches[which]).map((employeeId) => ({ companyId, employeeId })) : []
    })
  const remanaged = named('remanaged')
  if (remanaged.length === 0 || (await findSuperiors(client, remanaged)).length === 0) return
  for (const { companyId, employeeId, managerId } of await loadManagerChains(client, named('managers'))) {
    companies.get(companyId)?.employees.setManager(employeeId, managerId)
  }
}
