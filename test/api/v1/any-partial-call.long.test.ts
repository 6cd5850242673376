import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { ledgerFaults } from '../../support/ledger/verify-ledger.ts'
import type { TestCompany } from '../../support/service.ts'
import { startService } from '../../support/service.ts'
import { inputs } from '../../support/quick.ts'

/* Any calls with `all_or_none=false`, each in new companies with the same people. */

const service = await startService(t)

const anyNumber = fc.integer({ min: 1, max: 5 })
const emailOf = (number: number) => `p${number}@example.com`
const externalIdOf = (number: number) => `E-${number}`

/** Few people, so that the records collide, refer to one another, and swap what they have. */
const anyRecord = fc.record(
  {
    email: fc.oneof(anyNumber.map(emailOf), fc.constant('P1@example.com ')),
    external_id: fc.oneof(anyNumber.map(externalIdOf), fc.constant(null)),
    first_name: fc.constantFrom('Ana', 'Zoe\u0301', '', 'x'.repeat(81)),
    last_name: fc.constantFrom('Pérez', null),
    phone: fc.constantFrom('+34600123456', 'x'),
    manager_email: fc.integer({ min: 1, max: 7 }).map(emailOf),
    status: fc.constantFrom('active', 'inactive'),
  },
  { requiredKeys: [] },
)
/** Most calls of any records have one that is refused. */
const tidyRecord: typeof anyRecord = fc.record({ email: anyNumber.map(emailOf), first_name: fc.constant('Ana') })
const anyCall = fc
  .record({
    method: fc.constantFrom('POST' as const, 'PATCH' as const, 'PUT' as const),
    people: fc.uniqueArray(anyNumber, { maxLength: 4 }),
    records: fc.oneof(
      { weight: 3, arbitrary: fc.array(anyRecord, { minLength: 1, maxLength: 6 }) },
      { weight: 1, arbitrary: fc.array(tidyRecord, { minLength: 1, maxLength: 1 }) },
    ),
  })
  .chain((call) =>
    fc.record({
      call: fc.constant(call),
      order: fc.shuffledSubarray([...call.records.keys()], { minLength: call.records.length }),
    }),
  )

type Call = typeof anyCall extends fc.Arbitrary<infer One> ? One : never
const newPerson: Call['call']['records'][number] = { email: emailOf(2), first_name: 'Ana', last_name: 'Pérez' }
const takenEmail = { ...newPerson, email: emailOf(1) }
/** One call that is partly applied, one that is applied whole, and one that is refused: random ones may lack a kind. */
const EXAMPLES = [[newPerson, takenEmail], [newPerson], [takenEmail]].map((records): [Call] => [
  { call: { method: 'POST', people: [1], records }, order: [...records.keys()] },
])

interface Result {
  index: number
  result: string
  changed: string[]
  errors: { code: string; pointer: string }[]
}

let companies = 0

/** A new company with some people, each of whom reports to the one before. */
async function found(people: readonly number[]): Promise<TestCompany> {
  companies += 1
  const company = await service.makeCompany(`Company ${companies}`)
  const body = people.map((number, at) => ({
    first_name: `Person ${number}`,
    email: emailOf(number),
    external_id: externalIdOf(number),
    ...(at > 0 ? { manager_email: emailOf(people[at - 1]!) } : {}),
  }))
  if (body.length > 0)
    assert.equal((await service.call('POST', '/v1/employees', { key: company.key, body })).status, 201)
  return company
}

const send = (company: TestCompany, method: 'POST' | 'PATCH' | 'PUT', body: unknown, query = '?all_or_none=false') =>
  service.call(method, `/v1/employees${query}`, { key: company.key, body })

/** The people of a company, without what tells companies apart. */
async function peopleOf(company: TestCompany): Promise<string[]> {
  await service.project(company.id)
  const { items } = (await service.call('GET', '/v1/employees?limit=200', { key: company.key })).body
  const people = items as { id: string; email: string | null; external_id: string | null; manager_id: string | null }[]
  const nameOf = new Map(people.map(({ id, email, external_id: externalId }) => [id, `${email} ${externalId}`]))
  return people
    .map(({ id: _id, manager_id: managerId, ...person }) => {
      const told = { ...person, created_at: null, updated_at: null, deactivated_at: null }
      return JSON.stringify({ ...told, manager: managerId === null ? null : nameOf.get(managerId) })
    })
    .toSorted()
}

/** The results by the indexes of the first order. */
function resultsOf(results: Result[], order: readonly number[]): string[] {
  return results
    .map(({ index, result, changed, errors }) => {
      const codes = errors.map(({ code, pointer }) => `${pointer.split('/').slice(2).join('/')} ${code}`)
      return `${order[index]} ${result} ${changed.toSorted().join()} ${codes.toSorted().join()}`
    })
    .toSorted()
}

/** The events of a company's last call, without what no two calls share. */
const OWN_STATUS = '"http_status":200,'

async function lastEvents(company: TestCompany, logId: string): Promise<string[]> {
  const { body } = await service.audit('/events?limit=1000', company.auditor.token)
  const ids = new Map<string, string>()
  const alias = (id: string) => ids.get(id) ?? (ids.set(id, `${id.slice(0, 3)} ${ids.size}`), ids.get(id)!)
  return (body as { call_id: string | null; recorded_at: string; position: number }[])
    .filter(({ call_id: callId }) => callId === logId)
    .map((event) => JSON.stringify({ ...event, recorded_at: null }))
    .map((text) => text.replaceAll(/\b[a-z]{3}_[0-9a-z]{26}\b/g, alias))
    .map((text) => text.replaceAll(/"(?:requested_at|request_id)":"[^"]*"|"duration_ms":\d+/g, ''))
}

await t.test('any order gives the same people and results, and the rest alone is applied whole', async (t) => {
  const seen = { partial: 0, whole: 0, none: 0 }
  await fc.assert(
    fc.asyncProperty(anyCall, async ({ call: { method, people, records }, order }) => {
      const [first, other, alone] = [await found(people), await found(people), await found(people)]
      const one = await send(first, method, records)
      const two = await send(
        other,
        method,
        order.map((index) => records[index]),
      )
      assert.equal(two.status, one.status)
      assert.deepEqual(await peopleOf(other), await peopleOf(first))
      for (const company of [first, other]) assert.deepEqual(await ledgerFaults(service.db, company.id), [])
      if (one.status !== 200) {
        seen.none += 1
        const expected = await send(alone, method, records, '')
        assert.deepEqual(
          [expected.status, expected.body.code, expected.body.detail, expected.body.errors?.length],
          [one.status, one.body.code, one.body.detail, one.body.errors?.length],
        )
        return
      }
      const results = one.body.results as Result[]
      assert.deepEqual(resultsOf(two.body.results, order), resultsOf(results, [...order.keys()]))
      const rest = records.filter((_, index) => results[index]!.result !== 'failed')
      const whole = await send(alone, method, rest, '')
      assert.ok(whole.status < 300, JSON.stringify(whole.body))
      assert.deepEqual(await peopleOf(alone), await peopleOf(first))
      if (rest.length < records.length) seen.partial += 1
      else {
        seen.whole += 1
        const events = await lastEvents(first, one.body.log_id)
        // A call that may apply less is answered with 200, also if it creates; the event that closes it says so.
        assert.equal(events.at(-1)!.includes(OWN_STATUS), whole.status === 201)
        const closing = events.pop()!.replace(OWN_STATUS, '').replace('"schema_version":4', '"schema_version":1')
        assert.deepEqual([...events, closing], await lastEvents(alone, whole.body.log_id))
      }
    }),
    { numRuns: inputs(15, 60), examples: EXAMPLES, endOnFailure: true },
  )
  for (const [kind, count] of Object.entries(seen)) t.ok(count > 0, `${count} calls were of the kind ${kind}`)
})
