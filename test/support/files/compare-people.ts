import type { NameRule } from '../../../src/spreadsheets/values/split-name.ts'
import { ATTRIBUTE_NAMES, ATTRIBUTE_RULES } from '../../../src/domain/attributes.ts'

/* What an import stored, beside the right answer. `test/fixtures/staff-lists` has files as other systems write them. */

export interface Person {
  id: string
  email?: string | null
  manager_id?: string | null
  custom_attributes?: Record<string, unknown>
  [attribute: string]: unknown
}

type Wanted = Record<string, unknown> & { row: number; email?: string; undecided?: string[] }

interface Ambiguity {
  code: string
  employee?: Wanted
  employees?: Wanted[]
}

/** The right answer for a file, `NAME.expected.json`. */
export interface Expected {
  file_name: string
  file: { format: string; encoding?: string; separator?: string; header_row?: number; records?: string }
  /** What only the administrator knows. */
  hints: {
    country?: string
    status_words?: Record<string, 'active' | 'inactive'>
    past_end_date?: 'inactive'
    names?: NameRule
  }
  identifier?: { also_right?: string }
  columns: Record<string, string>
  columns_also_right?: Record<string, string>
  never_store?: string[]
  employees: Wanted[]
  ambiguous: Ambiguity[]
}

/** All but those that a file sets by other means. */
const ATTRIBUTES = ATTRIBUTE_NAMES.filter((name) => !['manager', 'custom'].includes(ATTRIBUTE_RULES[name].kind))
const isNone = (value: unknown) => value === undefined || value === null || value === ''
const show = (value: unknown) => (isNone(value) ? 'empty' : JSON.stringify(value))

/** Lists what is wrong with the people of a company that was empty before. */
export function comparePeople(expected: Expected, people: readonly Person[]): string[] {
  const out: string[] = []
  const byId = new Map(people.map((person) => [person.id, person]))
  const byEmail = new Map(people.filter(({ email }) => !isNone(email)).map((person) => [person.email, person]))
  const known = new Set<Person>()
  for (const want of expected.employees) {
    const got = byEmail.get(want.email)
    if (got) known.add(got)
    const wrong = got ? listDifferences(expected, want, got, byId) : ['is missing']
    out.push(...wrong.map((what) => `row ${want.row}: ${want.email}: ${what}`))
  }
  const asked = expected.ambiguous.flatMap(({ code, employee, employees = [] }) =>
    [...(employee ? [employee] : []), ...employees].map((want) => ({ code, want })),
  )
  for (const got of people) {
    if (known.has(got)) continue
    const name = got.email ?? show(got['external_id'])
    const held = asked.find(
      ({ want: { email, external_id: id } }) =>
        (email && email === got.email) || (id && [got['external_id'], got['employee_number']].includes(id)),
    )
    if (!held) out.push(`${name}: must not become a person`)
    else out.push(...listGuesses(expected, held, got, byId).map((what) => `${name}: guessed, ${held.code}${what}`))
  }
  return out
}

/** Somebody who was stored without a question is right only if nothing was made up. */
function listGuesses(
  expected: Expected,
  { code, want }: { code: string; want: Wanted },
  got: Person,
  byId: ReadonlyMap<string, Person>,
): string[] {
  const isGuessed =
    code === 'shared_email' ||
    code === 'one_person_two_rows' ||
    isNone(want['first_name']) ||
    (code === 'one_word_name' && !isNone(got['last_name']))
  return isGuessed ? [''] : listDifferences(expected, want, got, byId).map((what) => `: ${what}`)
}

function listDifferences(expected: Expected, want: Wanted, got: Person, byId: ReadonlyMap<string, Person>): string[] {
  const alsoRight = [expected.identifier?.also_right, ...Object.values(expected.columns_also_right ?? {})]
  const canSwap = alsoRight.some((text) => /external_id|employee_number/.test(text ?? ''))
  const undecided = new Set(want.undecided)
  const wrong = ATTRIBUTES.flatMap((name) => {
    if (name === 'status' && (undecided.has('status') || isNone(want['status']))) return []
    const wanted = undecided.has(name) ? undefined : want[name]
    if (isNone(wanted) && alsoRight.includes(name)) return []
    if (canSwap && (name === 'external_id' || name === 'employee_number') && isSwapped(name, want, got)) return []
    const isRight = isNone(wanted) ? isNone(got[name]) : wanted === got[name]
    return isRight ? [] : [`${name}: ${show(got[name])} instead of ${show(wanted)}`]
  })
  const manager = byId.get(got.manager_id ?? '')?.email
  const wantedManager = undecided.has('manager') ? undefined : want['manager_email']
  const isRight = isNone(wantedManager) ? isNone(got.manager_id) : manager === wantedManager
  if (!isRight) wrong.push(`manager: ${manager ?? 'none'} instead of ${show(wantedManager)}`)
  for (const key of Object.keys(got.custom_attributes ?? {}))
    if (/pass ?word|credential/i.test(key)) wrong.push(`stores ${key}`)
  return wrong
}

/** The number that identifies people may be either attribute. */
function isSwapped(name: string, want: Wanted, got: Person): boolean {
  const ids = [want['external_id'], want['employee_number']].filter((id) => !isNone(id))
  if (!isNone(got[name])) return ids.includes(got[name])
  return (
    name === 'employee_number' ||
    ids.some((id) => id === got['employee_number']) ||
    ids.length === 0 ||
    !isNone(want['employee_number'])
  )
}
