import { doAtOnce } from '../../../src/domain/pieces.ts'
import type { Test } from 'tap'
import t from 'tap'
import { readMany, type WriteCall } from '../../../src/domain/calls/commands.ts'
import { newId } from '../../../src/ledger/new-id.ts'
import { openAppends } from '../../support/ledger/appends.ts'
import { createCall } from '../../support/ledger/calls.ts'
import type { Service } from '../../support/service.ts'
import { employee, startService } from '../../support/service.ts'

/*
 * Large updates usually send the email addresses and external ids that their employees already have. Only the holders of
 * other values are looked up.
 */

const MANY = 30

interface Sent extends Record<string, unknown> {
  email: string
  external_id: string
}

let made = 0
const makeEmployees = (count = MANY) =>
  Array.from({ length: count }, () => employee({ external_id: `HR-${(made += 1)}` }) as Sent)

/** A company with these employees, and the calls that update them. */
async function hire(service: Service, employees: Sent[]) {
  const company = await service.makeCompany('Large updates')
  const call = (method: 'POST' | 'PATCH' | 'PUT', sent: unknown[]) =>
    service.call(method, '/v1/employees', { key: company.key, body: { employees: sent } })
  const { body } = await call('POST', employees)
  const ids = (body.employees as { id: string }[]).map(({ id }) => id)
  const byId = employees.map((sent, at) => ({ ...sent, id: ids[at]! }))
  return { company, call, byId, patch: (sent: unknown[]) => call('PATCH', sent) }
}

for (const [name, settings] of [
  ['employees in memory', {}],
  ['no employees in memory', { EMPLOYEE_CACHE: '0' }],
] as const) {
  await t.test(`with ${name}`, async (t) => {
    const service = await startService(t, settings)

    await t.test('employees may send the values that they have', async (t) => {
      const { patch, byId } = await hire(service, makeEmployees())
      t.match(await patch(byId), { status: 200, body: { counts: { total: MANY, no_updates: MANY } } })
    })

    await t.test('a value of an employee whom the call does not name is refused', async (t) => {
      const [other, ...others] = makeEmployees(MANY + 1) as [Sent, ...Sent[]]
      const { patch, byId } = await hire(service, [other, ...others])
      const sent = byId.slice(1)
      sent[3] = { ...sent[3]!, email: other.email }
      sent[7] = { ...sent[7]!, external_id: other.external_id }
      const { status, body } = await patch(sent)
      t.equal(status, 409)
      t.strictSame(
        body.errors.map(({ pointer, code }: Record<string, string>) => `${pointer} ${code}`),
        ['/employees/3/email already_exists', '/employees/7/external_id already_exists'],
      )
    })

    await t.test('two employees can swap their values, and a third can take one that is given up', async (t) => {
      const { patch, byId } = await hire(service, makeEmployees())
      const [one, two, three] = [byId[0]!, byId[1]!, byId[2]!]
      const changed = [
        { ...one, email: two.email },
        { ...two, email: one.email, external_id: 'HR-new' },
        { ...three, external_id: two.external_id },
      ]
      t.match(await patch([...changed, ...byId.slice(3)]), { status: 200, body: { counts: { updated: 3 } } })
      t.match(await patch(changed), { status: 200, body: { counts: { no_updates: 3 } } })
    })

    await t.test('an upsert refuses to create an employee with a value of another', async (t) => {
      const [other, ...others] = makeEmployees(MANY + 1) as [Sent, ...Sent[]]
      const { call } = await hire(service, [other, ...others])
      const added = [...makeEmployees(), { ...makeEmployees(1)[0]!, email: other.email }]
      t.equal((await call('PUT', [...others, ...added])).status, 409)
      t.match(await call('PUT', [...others, ...added.slice(0, -1)]), {
        status: 200,
        body: { counts: { total: 2 * MANY, no_updates: MANY } },
      })
    })
  })
}

await t.test('a value that another process has given to another employee since is refused', async (t) => {
  const service = await startService(t)
  const sibling = await startService(t, {}, { urls: service.urls })
  const [other, ...others] = makeEmployees(MANY + 1) as [Sent, ...Sent[]]
  const { company, patch, byId } = await hire(service, [other, ...others])
  const change = (body: object) => sibling.call('PATCH', `/v1/employees/${byId[0]!.id}`, { key: company.key, body })
  t.equal((await change({ email: 'new@example.com' })).status, 200)
  const sent = byId.slice(1)
  sent[0] = { ...sent[0]!, email: 'new@example.com' }
  t.match(await patch(sent), { status: 409, body: { errors: [{ pointer: '/employees/0/email' }] } })
  sent[0] = { ...sent[0], email: other.email }
  t.match(await patch(sent), { status: 200, body: { counts: { updated: 1 } } })
})

await t.test('a value that another process has freed since can be taken', async (t) => {
  const service = await startService(t)
  const sibling = await startService(t, {}, { urls: service.urls })
  const [other] = makeEmployees(1) as [Sent]
  const { company, call, byId } = await hire(service, [other])
  const freed = await sibling.call('PATCH', `/v1/employees/${byId[0]!.id}`, {
    key: company.key,
    body: { email: 'new@example.com' },
  })
  t.equal(freed.status, 200)
  const added = [...makeEmployees(), { ...makeEmployees(1)[0]!, email: other.email }]
  t.equal((await call('PUT', added)).status, 200)
})

/** A company's employees, and calls that update them. */
async function openCompany(t: Test) {
  const service = await startService(t)
  const { company } = service
  const employees = makeEmployees()
  const created = await service.call('POST', '/v1/employees', { key: company.key, body: { employees } })
  const hired = (created.body.employees as { id: string }[]).map(({ id }, at) => ({ ...employees[at]!, id }))
  const updateCall = (records: unknown[]): WriteCall => {
    const bodyBytes = JSON.stringify(records).length
    return { ...createCall(company, []), bodyBytes, command: doAtOnce(readMany('update_many', records, MANY, newId)) }
  }
  return { hired, updateCall, ...openAppends(t, service) }
}

await t.test('a call looks up only the values that its employees lack', async (t) => {
  const { hired, updateCall, commit, sent } = await openCompany(t)
  const changed = hired.map((one, at) => (at === 4 ? { ...one, email: 'new@example.com' } : one))
  const [committed] = await commit([updateCall(changed)])
  t.equal(committed!.answer!.status, 200)
  const loads = sent.filter(({ name }) => name === 'load-employees')
  // The companies, and the values that are looked up in each. Digests tell that nothing changes about the others.
  t.strictSame(
    loads.map(({ values }) => values.filter((value) => Buffer.isBuffer(value)).map(lengthOfArray)),
    [
      [1, 1],
      [1, 1],
    ],
  )
  t.ok((loads[1]!.values[1] as Buffer).includes('new@example.com'))
})

/** The number of elements of a one-dimensional array in PostgreSQL's binary format. */
function lengthOfArray(array: Buffer): number {
  const LENGTH_AT = 12
  return array.readInt32BE(LENGTH_AT)
}

await t.test('a call can take a value that the call before it in the transaction gives up, and no other', async (t) => {
  const { hired, updateCall, commit } = await openCompany(t)
  const [giver, keeper, ...others] = hired
  const taking = (from: Sent) =>
    updateCall(others.map((sent, at) => (at === 0 ? { ...sent, email: from.email } : sent)))
  const answers = await commit([
    updateCall([{ id: giver!.id, email: 'given.up@example.com' }]),
    taking(giver!),
    taking(keeper!),
  ])
  t.strictSame(
    answers.map(({ answer }) => answer!.status),
    [200, 200, 409],
  )
})
