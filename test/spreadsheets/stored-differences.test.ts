import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { type ComparedRecord, findDifferences, isAsStored } from '../../src/spreadsheets/rows/stored-differences.ts'
import { exchangeDay } from '../../src/spreadsheets/values/read-date.ts'
import { inputs } from '../support/quick.ts'

/* Random nights: what a system has begun to write otherwise is found, and what people change on purpose is not. */

const RUNS = inputs(50, 500)
const FIRST = ['Ana', 'Bo', 'Çem', 'Dörte', 'Élise', 'Фёдор', '花子', 'Gül']
const LAST = ['Perez', 'Nguyen', 'Ödegaard', 'Şahin', 'Иванов', '山田', 'Smith-Jones', "O'Neil", 'da Silva']

/** People of a company, no two with the same name, by how their ids are written and which attributes they have. */
const company = fc
  .record({
    count: fc.integer({ min: 2, max: 60 }),
    idOf: fc.constantFrom(
      (at: number) => `00${at + 101}`,
      (at: number) => `E-${at}`,
      (at: number) => String(5_000 + 7 * at),
    ),
    hasEmail: fc.boolean(),
    isFamily: fc.boolean(),
    seed: fc.nat(),
  })
  .map(({ count, idOf, hasEmail, isFamily, seed }) =>
    Array.from({ length: count }, (_, at): ComparedRecord => {
      const [first, last] = [
        FIRST[(at + seed) % FIRST.length]!,
        LAST[Math.trunc(at / FIRST.length + seed) % LAST.length]!,
      ]
      return {
        external_id: idOf(at),
        first_name: `${first}${at}`,
        last_name: isFamily ? 'da Silva' : `${last}${at}`,
        email: hasEmail ? `p${at}@x.example` : null,
        employee_number: `0${at + 300}`,
        start_date: `2020-0${(at % 4) + 1}-0${(at % 4) + 5}`,
        phone: `+49301234${String(at).padStart(3, '0')}`,
        custom_attributes: { private_phone: `+49170${at}`, team: `T${at % 3}` },
      }
    }),
  )

/** What a night sends of people: no empty values. */
const send = (person: ComparedRecord): ComparedRecord =>
  Object.fromEntries(Object.entries(person).filter(([, value]) => value !== null))

function compare(records: readonly ComparedRecord[], people: readonly ComparedRecord[]): string[] {
  const work = findDifferences(records.map(send), people, ['start_date'])
  for (;;) {
    const { done, value } = work.next()
    if (done) return value.map(({ reason }) => reason)
  }
}

type Change = (person: ComparedRecord, at: number, all: readonly ComparedRecord[]) => ComparedRecord

/** Takes attributes from the next person, so that each of those who are changed gets somebody else's. */
const take =
  (...names: string[]): Change =>
  (person, at, all) => ({
    ...person,
    ...Object.fromEntries(names.map((name) => [name, all[(at + 1) % all.length]![name]])),
  })

const customsOf = ({ custom_attributes: customs }: ComparedRecord) => customs as Record<string, string>

const FAULTS: Record<string, { reason: string; change: Change; needs?: 'email' | 'zeros' }> = {
  'ids of others': { reason: 'other_people', change: take('external_id') },
  'addresses of others': { reason: 'other_people', change: take('email'), needs: 'email' },
  'names of others': { reason: 'other_people', change: take('first_name', 'last_name') },
  'first names of others': { reason: 'other_people', change: take('first_name') },
  'cells moved by a column': {
    reason: 'other_people',
    change: ({ first_name: first, last_name: last, ...one }) => ({
      ...one,
      external_id: first,
      first_name: last,
      last_name: 'Sales',
      email: null,
    }),
  },
  'new ids': {
    reason: 'other_people',
    change: (one) => ({ ...one, external_id: `new ${String(one['external_id'])}` }),
  },
  'names exchanged': {
    reason: 'exchanged_columns',
    change: (one) => ({ ...one, first_name: one['last_name'], last_name: one['first_name'] }),
  },
  'phones exchanged': {
    reason: 'exchanged_columns',
    change: (one) => ({
      ...one,
      phone: customsOf(one)['private_phone'],
      custom_attributes: { ...customsOf(one), private_phone: one['phone'] },
    }),
  },
  'days exchanged': {
    reason: 'exchanged_dates',
    change: (one) => ({ ...one, start_date: exchangeDay(String(one['start_date'])) }),
  },
  'zeros lost': {
    reason: 'respelled_ids',
    change: (one) => ({ ...one, external_id: String(one['external_id']).replace(/^0+/, '') }),
    needs: 'zeros',
  },
  'numbers of employees': {
    reason: 'respelled_ids',
    change: (one) => ({ ...one, employee_number: String(one['employee_number']).replace(/^0+/, '') }),
  },
}

for (const [name, { reason, change, needs }] of Object.entries(FAULTS))
  await t.test(`${name} are found, and only these`, (t) => {
    const isMeant = (people: ComparedRecord[]) =>
      (needs !== 'email' || people[0]!['email'] !== null) &&
      (needs !== 'zeros' || String(people[0]!['external_id']).startsWith('0'))
    fc.assert(
      fc.property(company.filter(isMeant), fc.integer({ min: 51, max: 100 }), (people, share) => {
        const changed = people.slice(0, Math.max(2, Math.ceil((people.length * share) / 100)))
        const night = [...changed.map(change), ...people.slice(changed.length)]
        assert.deepEqual(compare(night, people), [reason])
        if (reason !== 'exchanged_dates') assert.ok(!isAsStored(send(night[0]!), people))
      }),
      { numRuns: RUNS },
    )
    t.end()
  })

await t.test('several rows with the addresses or names of others are found in a file of any size', (t) => {
  const people = Array.from({ length: 100 }, (_, at) => ({
    id: `emp_${at}`,
    external_id: `E${at}`,
    email: `p${at}@example.com`,
    first_name: `Ana${at}`,
    last_name: `Perez${at}`,
  }))
  for (const names of [['email'], ['first_name', 'last_name']]) {
    const change = take(...names)
    const night = people.map((person, at) => (at < 2 ? change(person, at, people) : person))
    t.strictSame(compare(night, people), ['other_people'], names.join())
    const one = people.map((person, at) => (at < 1 ? change(person, at, people) : person))
    t.strictSame(compare(one, people), [], 'one may be meant')
  }
  t.end()
})

await t.test('initials that become names, or names that become initials, are not found', (t) => {
  const named = Array.from({ length: 20 }, (_, at) => ({
    external_id: `E${at}`,
    first_name: FIRST[at % FIRST.length]!,
    last_name: `Perez${at}`,
  }))
  const short = named.map((person) => ({ ...person, first_name: person.first_name.slice(0, 1) }))
  t.strictSame([compare(named, short), compare(short, named)], [[], []])
  t.end()
})

await t.test('what people change on purpose is not found', (t) => {
  const changes = fc.record({
    married: fc.nat(),
    moved: fc.nat(),
    left: fc.nat(),
    hired: fc.integer({ min: 0, max: 9 }),
  })
  fc.assert(
    fc.property(company, changes, (people, { married, moved, left, hired }) => {
      const isOne = (at: number, which: number) => at === which % people.length
      const night = people
        .map((one, at) => ({
          ...one,
          ...(isOne(at, married) ? { first_name: 'Zoë', last_name: 'Quist' } : {}),
          ...(isOne(at, moved) ? { phone: customsOf(one)['private_phone'], custom_attributes: { team: 'T9' } } : {}),
          last_name: `${String(one['last_name'])} II`,
          job_title: 'Lead',
          email: typeof one['email'] === 'string' ? one['email'].replace('x.', 'y.') : null,
        }))
        .filter((_, at) => !isOne(at, left))
      const news = Array.from({ length: hired }, (_, at) => ({
        ...people[0]!,
        external_id: `hired ${at}`,
        first_name: at === 0 ? people[0]!['first_name'] : 'New',
        last_name: at === 0 ? people[0]!['last_name'] : `Person ${at}`,
        email: people[0]!['email'] === null ? null : `new${at}@x.example`,
      }))
      assert.deepEqual(compare([...night, ...news], people), [])
    }),
    { numRuns: RUNS },
  )
  t.end()
})
