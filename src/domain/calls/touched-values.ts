import { listStoredAddresses } from '../email-domains.ts'
import { isId } from '../ids.ts'
import type { Locator, ReadRecord } from './call-records.ts'

/** Employees named in each of the three ways. Values are normalized. */
export interface Naming {
  employeeIds: string[]
  emails: string[]
  externalIds: string[]
}

/** The employees that deciding a call may look up. They are loaded under the lock of its company's head. */
export interface Touches {
  /** The employees that the records identify. */
  located: Naming
  /** The managers that the records name. */
  managers: Naming
  /** The email addresses and external ids that the records set, apart from those that identify their employees. */
  claimed: Naming
}

export const NOBODY: Naming = { employeeIds: [], emails: [], externalIds: [] }
export const NO_TOUCHES: Touches = { located: NOBODY, managers: NOBODY, claimed: NOBODY }

/** Everything that deciding these records may look up: the employees they name, and the owners of values they set. */
export function touchedValues(records: ReadRecord[]): Touches {
  return {
    located: naming(records.flatMap(({ locator }) => locator ?? [])),
    managers: naming(records.flatMap(({ managers }) => managers.flatMap(({ locator }) => locator ?? []))),
    claimed: claimedValues(records),
  }
}

function naming(locators: Locator[]): Naming {
  const by = (field: Locator['field']) => {
    const named = new Set<string>()
    for (const { field: one, value, asStored } of locators) if (one === field) named.add(value).add(asStored ?? value)
    return [...named]
  }
  // Text that is no employee id names nobody, and PostgreSQL would reject it as a uuid.
  return { employeeIds: by('id').filter((id) => isId('emp', id)), emails: by('email'), externalIds: by('external_id') }
}

/** The email addresses and external ids that records set, apart from those that identify their employees. */
export function claimedValues(records: ReadRecord[]): Naming {
  const claimed = (name: 'email' | 'external_id') =>
    records.flatMap(({ patch, locator }) => {
      const value = patch[name]
      const isLocator = locator?.field === name && locator.value === value
      return typeof value === 'string' && !isLocator ? [value] : []
    })
  const emails = claimed('email').flatMap(listStoredAddresses)
  return { employeeIds: [], emails, externalIds: claimed('external_id') }
}

/** The names of these, each once if there are several. */
export function union(namings: Naming[]): Naming {
  const all = (by: keyof Naming) => {
    const named = namings.filter((naming) => naming[by].length > 0)
    return named.length === 1 ? named[0]![by] : [...new Set(named.flatMap((naming) => naming[by]))]
  }
  return { employeeIds: all('employeeIds'), emails: all('emails'), externalIds: all('externalIds') }
}
