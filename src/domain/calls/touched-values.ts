import { isId } from '../ids.ts'
import type { Locator, ManagerReference, ReadRecord } from './call-records.ts'

/** Employees named in each of the three ways. Values are normalised. */
export interface Naming {
  employeeIds: string[]
  emails: string[]
  externalIds: string[]
}

/** The employees that deciding a call may look up. They are loaded under the lock of its company's head. */
export interface Touches {
  /** The employees that the records identify. */
  located: Naming
  /** The employees who get a new manager. */
  remanaged: Naming
  /** The new managers. */
  managers: Naming
  /** The email addresses and external ids that the records set. */
  taken: Naming
}

const NOBODY: Naming = { employeeIds: [], emails: [], externalIds: [] }
export const NO_TOUCHES: Touches = { located: NOBODY, remanaged: NOBODY, managers: NOBODY, taken: NOBODY }

/** Everything that deciding these records may look up: the employees they name, and the owners of values they set. */
export function touchedValues(records: ReadRecord[]): Touches {
  const named = (some: ReadRecord[]) => naming(some.flatMap(({ locator }) => (locator ? [locator] : [])))
  const managed = records.filter(({ manager }) => manager && manager.value !== null)
  const managers = naming(managed.map(({ manager }) => asLocator(manager!)))
  return { located: named(records), remanaged: named(managed), managers, taken: takenValues(records) }
}

const LOCATES: Record<ManagerReference['field'], Locator['field']> = {
  manager_id: 'id',
  manager_external_id: 'external_id',
  manager_email: 'email',
}

function asLocator({ field, value }: ManagerReference): Locator {
  return { field: LOCATES[field], value: value! }
}

function naming(locators: Locator[]): Naming {
  const by = (field: Locator['field']) => [
    ...new Set(locators.flatMap((locator) => (locator.field === field ? [locator.value] : []))),
  ]
  // Text that is no employee id names nobody, and PostgreSQL would reject it as a uuid.
  return { employeeIds: by('id').filter((id) => isId('emp', id)), emails: by('email'), externalIds: by('external_id') }
}

function takenValues(records: ReadRecord[]): Naming {
  const taken = (name: 'email' | 'external_id') =>
    records.flatMap(({ patch }) => (typeof patch[name] === 'string' ? [patch[name]] : []))
  return { employeeIds: [], emails: taken('email'), externalIds: taken('external_id') }
}

/** The names of these, each once if there are several. */
export function union(namings: Naming[]): Naming {
  const all = (by: keyof Naming) => {
    const named = namings.filter((naming) => naming[by].length > 0)
    return named.length === 1 ? named[0]![by] : [...new Set(named.flatMap((naming) => naming[by]))]
  }
  return { employeeIds: all('employeeIds'), emails: all('emails'), externalIds: all('externalIds') }
}
