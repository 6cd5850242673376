import { UNIQUE_NAMES, uniqueForm, type UniqueName } from '../attributes.ts'
import { listStoredAddresses } from '../email-domains.ts'
import { isId } from '../ids.ts'
import type { Locator, ReadRecord } from './call-records.ts'

/** Employees named in each of these ways. Values are normalized. */
export interface Naming {
  employeeIds: string[]
  emails: string[]
  externalIds: string[]
  /** Folded. */
  userNames: string[]
  directoryIds: string[]
}

/** The employees that deciding a call may look up. They are loaded under the lock of its company's head. */
export interface Touches {
  /** The employees that the records identify. */
  located: Naming
  /** The managers that the records name. */
  managers: Naming
  /** The unique values that the records set, apart from those that identify their employees. */
  claimed: Naming
}

export const NOBODY: Naming = { employeeIds: [], emails: [], externalIds: [], userNames: [], directoryIds: [] }
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
  return {
    employeeIds: by('id').filter((id) => isId('emp', id)),
    emails: by('email'),
    externalIds: by('external_id'),
    userNames: by('user_name'),
    directoryIds: [],
  }
}

/** The unique values that records set, apart from those that identify their employees. */
export function claimedValues(records: ReadRecord[]): Naming {
  const claimed = (name: UniqueName) => {
    const values: string[] = []
    for (const { patch, locator } of records) {
      const value = uniqueForm(name, patch[name])
      const isLocator = locator?.field === name && locator.value === value
      if (typeof value === 'string' && !isLocator) values.push(value)
    }
    return values
  }
  const [emails, externalIds, userNames] = UNIQUE_NAMES.map(claimed) as [string[], string[], string[]]
  return { ...NOBODY, emails: emails.flatMap(listStoredAddresses), externalIds, userNames }
}

/** The names of these, each once if there are several. */
export function union(namings: Naming[]): Naming {
  const all = (by: keyof Naming) => {
    const named = namings.filter((naming) => naming[by].length > 0)
    return named.length === 1 ? named[0]![by] : [...new Set(named.flatMap((naming) => naming[by]))]
  }
  return {
    employeeIds: all('employeeIds'),
    emails: all('emails'),
    externalIds: all('externalIds'),
    userNames: all('userNames'),
    directoryIds: all('directoryIds'),
  }
}
