import type { LeftOut } from './find-table.ts'
import type { RowKeys } from './plan-rows.ts'
import { foldEmail, spellManager } from './plan-rows.ts'

/** An employee, as far as a file can name one. */
interface NameablePerson {
  id: string
  email: string | null
  external_id: string | null
}

/**
 * The people whom a file names in any way, by an id, an external id, or an address: as the person of a row, or as a
 * manager. Who is not among them is missing. In doubt somebody is named: capitals, the spelling of letters, and the
 * kind of identifier make no difference.
 */
export class NamedPeople {
  readonly #names = new Set<string>()

  /** Adds those whom a row names. Returns false if nobody can tell who the person of the row is. */
  add({ id, external_id: externalId, email, manager, otherManagers = [] }: RowKeys): boolean {
    const own = [id, externalId, email].filter((text) => text !== undefined)
    for (const text of own) this.#names.add(foldEmail(text))
    const isNamed = manager?.by === 'email' || manager?.by === 'external_id'
    for (const text of isNamed ? [manager.text, ...otherManagers] : otherManagers)
      for (const spelling of spellManager('email', text)) this.#names.add(spelling)
    return own.length > 0
  }

  has({ id, external_id: externalId, email }: NameablePerson): boolean {
    return [id, externalId, email].some((text) => text !== null && this.#names.has(foldEmail(text)))
  }
}

/** Says why a file cannot tell who is missing, as far as its form shows that; null if nothing speaks against it. */
export function findWhyPartial(leftOut: readonly Pick<LeftOut, 'reason' | 'message'>[]): string | null {
  return leftOut.find(({ reason }) => reason === 'incomplete')?.message ?? null
}
