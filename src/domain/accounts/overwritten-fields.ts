import type { AttributeName } from '../attributes.ts'
import type { Found } from '../attention.ts'
import { fromUuid } from '../ids.ts'

/* Sources that overwrite each other: each sets back what the other has changed. */

/** A key that works. */
export interface WriterKey {
  api_id: string
  name: string
  /** Null for all. */
  writable_fields: readonly AttributeName[] | null
}

/** Two sources that set back each other's value of a field; the ids of keys, or empty for the users. */
export interface SetBack {
  one: string
  other: string
  /** An attribute; a custom one as `custom_attributes.KEY`. */
  field: string
  people: number
  since: string
  /** One of the people. */
  employee_id: string
}

/** The most fields that an item names. */
const MAX_NAMED = 5

/**
 * Finds the keys that overwrite another source. Of two keys, the older one is the subject, and of several sources, the
 * one with the most people. A field that a key may no longer write is settled.
 */
export function findOverwritten(
  found: readonly SetBack[],
  writers: readonly WriterKey[],
): Found<'fields_overwritten'>[] {
  const keyOf = new Map(writers.map((key) => [fromUuid('key', key.api_id), key]))
  const mayWrite = (source: string, field: string) => {
    if (source === '') return true
    const key = keyOf.get(source)
    const name = field.split('.', 1)[0] as AttributeName
    return key !== undefined && (key.writable_fields?.includes(name) ?? true)
  }
  const open = found.filter(({ one, other, field }) => mayWrite(one, field) && mayWrite(other, field))
  const pairs = Map.groupBy(open, ({ one, other }) => `${one} ${other}`).values()
  const items = [...pairs].map((fields): Found<'fields_overwritten'> => {
    const { one, other, people, employee_id: employee } = fields[0]!
    const [id, otherId] = one === '' ? [other, null] : [one, other]
    const otherKey = otherId === null ? null : { id: otherId, name: keyOf.get(otherId)!.name }
    const names = fields.slice(0, MAX_NAMED).map(({ field }) => field)
    return {
      subject: { id, name: keyOf.get(id)!.name },
      since: fields.map(({ since }) => since).toSorted()[0]!,
      details: { other_key: otherKey, fields: names, people, employee_id: fromUuid('emp', employee) },
    }
  })
  const best = items.toSorted((a, b) => b.details.people - a.details.people)
  return [...Map.groupBy(best, ({ subject }) => subject.id).values()].map(([item]) => item!)
}
