import type { LeftOut } from '../tables/find-table.ts'
import type { RowKeys } from './plan-rows.ts'
import { spellManager } from './plan-rows.ts'
import { foldName } from '../values/split-name.ts'

/** An employee, as far as a file can name one. */
interface NameablePerson {
  id: string
  email: string | null
  external_id: string | null
  employee_number: string | null
  first_name: string | null
  last_name: string | null
}

/**
 * The people whom a file names in any way: as the person of a row, by an id, an external id, or an address, or as a
 * manager, also by an employee number or a full name. Who is not among them is missing. In doubt somebody is named:
 * capitals, the spelling of letters, and the kind of identifier make no difference.
 */
export class NamedPeople {
  readonly #people = new Set<string>()
  readonly #managers = new Set<string>()

  /** Adds those whom a row names. Returns false if nobody can tell who the person of the row is. */
  add({ id, external_id: externalId, email, manager, otherManagers = [] }: RowKeys): boolean {
    const own = [id, externalId, email].filter((text) => text !== undefined)
    for (const text of own) this.#people.add(foldName(text))
    for (const text of manager ? [manager.text, ...otherManagers] : otherManagers)
      for (const by of ['external_id', 'full_name'] as const)
        for (const spelling of spellManager(by, text)) this.#managers.add(foldName(spelling))
    return own.length > 0
  }

  has({ id, external_id: externalId, email, employee_number: number, ...names }: NameablePerson): boolean {
    const [first, last] = [names.first_name ?? '', names.last_name ?? '']
    const isIn = (texts: ReadonlySet<string>) => (text: string | null) => text !== null && texts.has(foldName(text))
    return (
      [id, externalId, email].some(isIn(this.#people)) ||
      [id, externalId, email, number, `${first} ${last}`, `${last} ${first}`].some(isIn(this.#managers))
    )
  }
}

/** Says why a file cannot tell who is missing, as far as its form shows that; null if nothing speaks against it. */
export function findWhyPartial(leftOut: readonly Pick<LeftOut, 'reason' | 'message'>[]): string | null {
  return leftOut.find(({ reason }) => reason === 'incomplete')?.message ?? null
}
