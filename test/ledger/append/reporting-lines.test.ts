import t from 'tap'
import { openAppends } from '../../support/ledger/appends.ts'
import { recordsCall } from '../../support/ledger/calls.ts'
import { SHARING } from '../../support/postgres/citus-url.ts'
import type { TestCompany } from '../../support/service.ts'
import { employee, startService } from '../../support/service.ts'

/* Which reporting lines a transaction loads, to find cycles through employees whom no call names. */

/** More subordinates than are looked at from the top. */
const MANY = 1_001

const service = await startService(t)
const { commit, sent } = openAppends(t, service)

type Record = { [name: string]: unknown }

const update = (company: TestCompany, records: Record[]) => recordsCall(company, 'PATCH', records)
const upsert = (company: TestCompany, records: Record[]) => recordsCall(company, 'PUT', records)

/** Creates employees with these external ids; each reports to the next one. Returns the emails. */
async function makeLine(company: TestCompany, names: string[]): Promise<string[]> {
  const line = names.map((name, at) =>
    employee({ external_id: name, ...(at + 1 < names.length && { manager_external_id: names[at + 1] }) }),
  )
  const { status } = await service.call('POST', '/v1/employees', { key: company.key, body: line })
  t.equal(status, 201)
  return line.map((one) => String(one.email))
}

const answersOf = (committed: Awaited<ReturnType<typeof commit>>) =>
  committed.map(({ answer }) => {
    const { errors = [] } = answer!.body as { errors?: { pointer: string; code: string }[] }
    return [answer!.status, ...errors.map(({ pointer, code }) => `${pointer} ${code}`)]
  })
const statementsSent = () => sent.splice(0).map(({ name }) => name)

await t.test('a cycle is found if an earlier call gave the name of the manager to a new employee', async (t) => {
  const { company } = service
  const [, , , email] = await makeLine(company, ['X', 'Y', 'E', 'B'])
  const committed = await commit([
    upsert(company, [
      { external_id: 'B', email: 'renamed@example.com' },
      { ...employee({ external_id: 'N', email: email! }), manager_external_id: 'X' },
    ]),
    update(company, [{ external_id: 'E', manager_email: email }]),
  ])
  t.strictSame(answersOf(committed), [[200], [422, '/0/manager_email manager_cycle']])
})

await t.test('a cycle is found if an earlier call removed the manager who is assigned again', async (t) => {
  const company = await service.makeCompany('Removed')
  await makeLine(company, ['M', 'Y', 'X', 'T'])
  const committed = await commit([
    update(company, [{ external_id: 'X', manager_id: null }]),
    update(company, [{ external_id: 'T', manager_external_id: 'M' }]),
    update(company, [{ external_id: 'X', manager_external_id: 'T' }]),
  ])
  t.strictSame(answersOf(committed), [[200], [200], [422, '/0/manager_external_id manager_cycle']])
})

await t.test('the line of a company has no effect on the one that shares its transaction', SHARING, async (t) => {
  const [wide, deep] = [await service.makeCompany('Wide'), await service.makeCompany('Deep')]
  await makeLine(wide, ['TOP'])
  for (let made = 0; made < MANY; made += 143) {
    const team = Array.from({ length: 143 }, () => employee({ manager_external_id: 'TOP' }))
    t.equal((await service.call('POST', '/v1/employees', { key: wide.key, body: team })).status, 201)
  }
  await makeLine(wide, ['BOSS'])
  await makeLine(deep, ['BOTTOM', 'MIDDLE', 'TOP'])
  const committed = await commit([
    update(wide, [{ external_id: 'TOP', manager_external_id: 'BOSS' }]),
    update(deep, [{ external_id: 'TOP', manager_external_id: 'BOTTOM' }]),
  ])
  t.strictSame(answersOf(committed), [[200], [422, '/0/manager_external_id manager_cycle']])
})

await t.test('a call loads no lines if its employees have their managers already, also beside a new one', async (t) => {
  const company = await service.makeCompany('Unchanged')
  await makeLine(company, ['S-1', 'S-2', 'S-3', 'S-4'])
  const records = ['S-1', 'S-2', 'S-3'].map((name, at) => ({
    external_id: name,
    manager_external_id: `S-${at + 2}`,
  }))
  statementsSent()
  const added = { ...employee({ external_id: 'S-0' }), manager_external_id: 'S-1' }
  t.strictSame(answersOf(await commit([upsert(company, [...records, added])])), [[200]])
  t.notOk(statementsSent().some((name) => name.endsWith('subordinates') || name.endsWith('superiors')))
  t.strictSame(answersOf(await commit([update(company, [{ external_id: 'S-1', manager_external_id: 'S-4' }])])), [
    [200],
  ])
  t.ok(statementsSent().includes('load-subordinates'))
})
