import t from 'tap'
import type { EntryFilter, LogPage } from '../../projections/bulk-user-logs/queries.ts'
import { listLogEntries } from '../../projections/bulk-user-logs/queries.ts'
import { addBlocks } from '../../projections/bulk-user-logs/unchanged-index.ts'
import { issueApiKey } from '../../src/accounts/api-keys/api-keys.ts'
import { newId } from '../../src/ledger/new-id.ts'
import { seededRandom } from '../../src/cli/demo/seeded-random.ts'
import { isQuick } from '../support/quick.ts'
import { employee, startService } from '../support/service.ts'

/*
 * A search by person reads a limited number of records at once, and an index finds the records that changed nothing. Whatever the limit, following its cursors finds the
 * same entries as a scan of all calls of a random history, each once and in order.
 */

const service = await startService(t)
const company = service.company.id
const random = seededRandom(7)
const CROWD = 300
/** So many more that a text which finds all of them finds more than a search lists. */
const ABSENT = 750
const GHOST = 'ghost@nowhere.example'

interface Person {
  id: string
  first_name: string
  email: string
  external_id: string
}

/** What the scan knows about a call. */
interface Call {
  id: string
  operation: string
  isFailed: boolean
  /** The people in its records or, if it failed, in its refused records. */
  people: Set<Person>
  /** The ids, e-mails and external ids in its refused records. */
  names: Set<string>
}

const calls: Call[] = []

async function send(
  operation: 'create' | 'update_many' | 'update_one',
  records: { of: Person | null; sent: Record<string, string>; isBad?: boolean }[],
): Promise<string[]> {
  const bodies = records.map(({ sent, isBad }) => (isBad ? { ...sent, phone: 'x' } : sent))
  const answer =
    operation === 'create'
      ? await service.call('POST', '/v1/employees', { body: bodies })
      : operation === 'update_many'
        ? await service.call('PATCH', '/v1/employees', { body: bodies })
        : await service.call('PATCH', `/v1/employees/${records[0]!.of!.id}`, { body: { ...bodies[0], id: undefined } })
  const isFailed = answer.status >= 400
  if (isFailed !== records.some(({ isBad }) => isBad === true)) throw new Error(JSON.stringify(answer.body))
  const shown = records.filter(({ isBad }) => !isFailed || isBad === true)
  const names = isFailed ? shown.flatMap(({ sent }) => [sent['id'], sent['email'], sent['external_id']]) : []
  calls.push({
    id: answer.body.log_id,
    operation,
    isFailed,
    people: new Set(shown.flatMap(({ of }) => of ?? [])),
    names: new Set(names.filter((name) => name !== undefined)),
  })
  return (answer.body.employees ?? []).map(({ id }: { id: string }) => id)
}

const everybody: Person[] = Array.from({ length: CROWD + ABSENT }, (_, at) => {
  const name = `${String.fromCodePoint(97 + (at % 26))}${at}`
  return { id: '', first_name: `Crowd ${name}`, email: `${name}@crowd.example`, external_id: `X-${at}` }
})
const people = everybody.slice(0, CROWD)

async function create(created: Person[]): Promise<void> {
  const ids = await send(
    'create',
    created.map(({ first_name, email, external_id }) => {
      return { of: null, sent: employee({ first_name, email, external_id }) as Record<string, string> }
    }),
  )
  for (const [at, id] of ids.entries()) created[at]!.id = id
  calls.at(-1)!.people = new Set(created)
}

await create(people)
await create(everybody.slice(CROWD))
const few = people.slice(0, 5)

/** An update that names a person in one of three ways, with or without a change. */
function updateOf(person: Person) {
  const by = random.pick(['id', 'email', 'external_id'] as const)
  const change = random.pick([{}, {}, { job_title: `${random.below(1_000_000)}` }] as Record<string, string>[])
  return { of: person, sent: { [by]: person[by], ...change } }
}

async function makeCall(): Promise<void> {
  const chosen = random.sample([...few, ...people.slice(200, 205)], 1 + random.below(4))
  const kind = random.below(12)
  if (kind < 5) await send('update_many', chosen.map(updateOf))
  else if (kind < 8) {
    const records = chosen.map((person) => ({ ...updateOf(person), isBad: random.chance(0.5) }))
    const ghost = { of: null, sent: { email: GHOST }, isBad: true }
    await send('update_many', records.some(({ isBad }) => isBad) ? records : [...records, ghost])
  } else if (kind < 10) await send('update_one', [{ of: chosen[0]!, sent: { department: `${random.below(9)}` } }])
  else if (kind === 10) await send('update_one', [{ of: chosen[0]!, sent: {}, isBad: true }])
  else
    await issueApiKey(
      { pool: service.pool, newId },
      { companyId: company, name: 'Key', quotaLimit: 1, refreshPeriod: 'daily' },
    )
}

for (let round = 0; round < 60; round += 1) await makeCall()
// More records than one read takes.
for (let night = 0; night < 12; night += 1)
  await send(
    'update_many',
    people.map((person) => ({ of: person, sent: { id: person.id } })),
  )
for (let round = 0; round < 40; round += 1) await makeCall()
await service.project()
// The blocks of the index end before the newest calls.
await addBlocks(service.db, { entries: 9, records: 900 })

const ALL_CALLS: EntryFilter = {}
function matches({ people: own, names, isFailed, operation }: Call, filter: EntryFilter): boolean {
  const { employee: exact, q, status, operation: wanted } = filter
  if (status !== undefined && (status === 'Failed') !== isFailed) return false
  if (wanted !== undefined && wanted !== operation) return false
  const isThere = (text: string, isTheirs: (person: Person) => boolean) => names.has(text) || [...own].some(isTheirs)
  const isExact = ({ id, email, external_id: externalId }: Person) =>
    [id, email.toLowerCase(), externalId].includes(exact === email.toUpperCase() ? exact.toLowerCase() : exact!)
  const hasText = ({ id, first_name: name, email, external_id: externalId }: Person) =>
    id === q || `${name} ${email} ${externalId}`.toLowerCase().includes(q!.toLowerCase())
  return (exact === undefined || isThere(exact, isExact)) && (q === undefined || isThere(q, hasText))
}

/** The ids of all entries, page after page. */
async function follow(readPage: (place: number | null) => Promise<LogPage>): Promise<string[]> {
  const ids: string[] = []
  for (let place: number | null = null, isFirst = true; isFirst || place !== null; isFirst = false) {
    const { entries, next, isUnfinished } = await readPage(place)
    if (isUnfinished && next === null) throw new Error('the search cannot be continued')
    if (next !== null && next === place) throw new Error('the search does not advance')
    ids.push(...entries.map(({ entry }) => entry.id))
    place = next
  }
  return ids
}

const [one, other] = few as [Person, Person]
const FILTERS: EntryFilter[] = [
  { employee: one.id },
  { employee: one.email.toUpperCase() },
  { employee: other.external_id },
  { employee: other.id, status: 'Completed' },
  { employee: other.id, operation: 'update_one' },
  { employee: GHOST },
  { q: one.first_name },
  { q: 'c2' },
  { q: 'crowd a' },
  { q: 'crowd' },
  { q: 'crowd', status: 'Failed' },
  { q: 'crowd', operation: 'update_one' },
  { employee: one.id, q: other.first_name },
  { employee: one.id, q: 'crowd', status: 'Failed' },
  { q: 'nobody at all' },
]
const PAGES: { limit: number; budget?: number }[] = [
  { limit: 20, budget: 1 },
  { limit: 50, budget: 2_500 },
  { limit: 3 },
  { limit: 1, budget: 45 },
  { limit: 200 },
]

let turn = 0

/** Compares what each page size finds. In the gate, the sizes take turns. */
async function compare(filters: EntryFilter[]): Promise<void> {
  for (const filter of filters) {
    const wanted = calls.filter((call) => matches(call, filter)).map(({ id }) => id)
    for (const page of isQuick ? [PAGES[(turn += 1) % PAGES.length]!] : PAGES) {
      const about = JSON.stringify({ ...filter, ...page })
      const older = await follow((before) => listLogEntries(service.db, company, filter, { ...page, before }))
      t.strictSame(older, wanted.toReversed(), `newest first: ${about}`)
      const newer = await follow((after) => listLogEntries(service.db, company, filter, { ...page, after: after ?? 0 }))
      t.strictSame(newer, wanted, `oldest first: ${about}`)
    }
  }
}

await t.test('however few records are read at once, a search finds every entry once', async () => {
  await compare([ALL_CALLS, ...FILTERS])
})

await t.test('the id of an erased person still finds completed calls, but no refused records', async (t) => {
  const { status } = await service.manage('POST', '/erasures', { employee_id: one.id })
  t.ok(status < 300)
  await service.project()
  for (const call of calls) if (call.isFailed) call.people.delete(one)
  for (const call of calls) for (const name of [one.id, one.email, one.external_id]) call.names.delete(name)
  await compare([{ employee: one.id }, { employee: other.id }])
})
