import type { Mapping } from '../../../src/spreadsheets/mapping/mapping.ts'
import { type FilePlan, NO_MANAGER } from '../../../src/spreadsheets/rows/plan-rows.ts'
import type { EmployeeClient } from '../employee-client.ts'
import { EmployeeLedgerError, PermissionError } from '../errors.ts'

/** Marks the rows of a plan with a manager whom nobody knows. */
export type MarkUnknown = (plan: FilePlan, mapping: Mapping | null) => Promise<FilePlan>

/**
 * Marks the rows with a manager who is nobody in the file, nor in the company, unless the calls are to refuse these. With
 * a key that must not read people, nobody can tell.
 */
export async function markUnknown(
  client: EmployeeClient,
  plan: FilePlan,
  mapping: Mapping | null,
  signal: AbortSignal,
): Promise<FilePlan> {
  if (plan.absent.length === 0 || !mapping || mapping.unknown_managers === 'refuse') return plan
  const names = plan.absent.map((at): ManagerName => {
    const { email, external_id: id = '' } = plan.plans.get(at)!.manager!
    return email === undefined ? ['external_id', id] : ['email', email]
  })
  const unknown = await findUnknown(client, names, signal)
  const plans = new Map(plan.plans)
  for (const [index, at] of plan.absent.entries())
    if (unknown.has(names[index]!.join(' '))) plans.set(at, { ...plans.get(at), manager: { fault: NO_MANAGER } })
  return { ...plan, plans }
}

/** A manager, as the API names one. */
type ManagerName = readonly [kind: 'email' | 'external_id', text: string]

/** The managers that are looked up one by one. If there are more, everybody is listed. */
const LOOKED_UP = 20

/** Finds the managers whom the company doesn't have. */
async function findUnknown(client: EmployeeClient, names: readonly ManagerName[], signal: AbortSignal) {
  const unknown = new Map(names.map((name) => [name.join(' '), name]))
  async function* lookUp() {
    for (const [kind, text] of [...unknown.values()])
      yield* (await client.list({ [kind]: text }, { signal }).catch(ignoreUnreadable))?.items ?? []
  }
  const people = unknown.size > LOOKED_UP ? client.employees({}, { signal }) : lookUp()
  try {
    for await (const { email, external_id: id } of people) {
      for (const key of [`email ${email}`, `external_id ${id}`]) unknown.delete(key)
      if (unknown.size === 0) break
    }
  } catch (error) {
    if (!(error instanceof PermissionError)) throw error
    unknown.clear()
  }
  return unknown
}

/** The call says what is wrong with a value that nobody can have. */
export function ignoreUnreadable(error: unknown): null {
  if (error instanceof EmployeeLedgerError && error.status === 400) return null
  throw error
}
