import type { Test } from 'tap'
import t from 'tap'
import { newId } from '../../../src/ledger/new-id.ts'
import { UnchangedOnce } from '../../../src/ledger/append/unchanged-once.ts'
import { OPERATOR } from '../../../src/ledger/append/append-company-events.ts'
import { toUuid } from '../../../src/domain/ids.ts'
import { eraseEmployee } from '../../../src/personal-data/erase-employee.ts'
import { openAppends } from '../../support/ledger/appends.ts'
import { createCall, largeCall } from '../../support/ledger/calls.ts'
import { employee, startService } from '../../support/service.ts'

/* The records of a sync are compared with digests of those that changed nothing before. */

const service = await startService(t)
type Sent = Record<string, unknown> & { external_id: string; email: string }

let made = 0
const makeEmployees = (count: number) =>
  Array.from({ length: count }, () => employee({ external_id: `HR-${(made += 1)}` }) as Sent)

/** A company with employees whose records have changed nothing before, and its calls. */
async function openSynced(t: Test, employees = makeEmployees(3)) {
  const company = await openNew(t, employees)
  await company.commit([company.put(...employees)])
  return company
}

/** A company with employees who have just been created, and its calls. */
async function openNew(t: Test, employees = makeEmployees(3)) {
  const company = await service.makeCompany('Synced')
  const { commit, sent } = openAppends(t, service)
  const put = (...records: object[]) => largeCall(company, 'PUT', records)
  let warned: unknown
  const answerTo = async (...calls: Parameters<typeof commit>[0]) => {
    sent.length = 0
    const committed = await commit(calls)
    return committed.map(({ answer }) => {
      const { status, body } = answer!
      const { counts, errors, warnings } = (typeof body === 'string' ? JSON.parse(body) : body) as Record<string, never>
      warned = warnings
      return status === 200 ? counts : errors
    })
  }
  await commit([put(...employees)])
  return {
    company,
    employees,
    put,
    commit,
    answerTo,
    statements: () => sent.map(({ name }) => name),
    warnings: () => warned,
  }
}

const unchanged = (total: number) => ({ total, updated: 0, deactivated: 0, failed: 0, no_updates: total })

await t.test('the states of employees about whom a record changes nothing again are not loaded', async (t) => {
  const { put, employees, answerTo, statements } = await openSynced(t)
  t.strictSame(await answerTo(put(...employees)), [unchanged(3)])
  t.notOk(statements().includes('load-employees'))
  t.notOk(statements().includes('write-digests'))
})

await t.test(
  'the states of new employees are not loaded either, and the first record about them writes nothing',
  async (t) => {
    const { put, employees, answerTo, statements } = await openNew(t)
    t.strictSame(await answerTo(put(...employees)), [unchanged(3)])
    t.notOk(statements().includes('load-employees'))
    t.notOk(statements().includes('write-digests'))
  },
)

await t.test('a new employee whom the same transaction changes is compared with the state', async (t) => {
  const { company, put, commit, answerTo } = await openNew(t)
  const [one, other] = makeEmployees(2) as [Sent, Sent]
  const change = { external_id: one.external_id, last_name: 'Married' }
  await commit([put(one, other), largeCall(company, 'PATCH', [change])])
  t.match(await answerTo(put(one, other)), [{ updated: 1, no_updates: 1 }])
  await commit([largeCall(company, 'PATCH', [change]), put({ ...other, last_name: 'Married' })])
  t.match(await answerTo(put(one, other)), [{ updated: 2 }])
})

await t.test('a patch by id changes nothing again, too', async (t) => {
  const { company, employees, answerTo, statements } = await openSynced(t)
  const { rows } = await service.pool.query<{ employee_id: string; email: string }>(
    'select employee_id, email from employee_directory where company_id = $1',
    [toUuid(company.id)],
  )
  t.equal(rows.length, employees.length)
  const read = await service.call('GET', `/v1/employees?email=${employees[0]!.email}`, { key: company.key })
  const { id } = read.body.items[0]
  const patch = () => largeCall(company, 'PATCH', [{ id, job_title: 'Engineer' }])
  t.match(await answerTo(patch()), [{ updated: 1 }])
  t.strictSame(await answerTo(patch()), [unchanged(1)])
  t.notOk(statements().includes('write-digests'), 'a record that changes nothing once costs no digest')
  t.strictSame(await answerTo(patch()), [unchanged(1)])
  t.ok(statements().includes('write-digests'))
  t.strictSame(await answerTo(patch()), [unchanged(1)])
  t.notOk(statements().includes('load-employees'))
})

await t.test('a record of an inactive employee is recognized, and so is their status', async (t) => {
  const { company, put, employees, answerTo, statements, warnings } = await openSynced(t)
  const { external_id } = employees[0]!
  await answerTo(largeCall(company, 'PATCH', [{ external_id, status: 'inactive' }]))
  for (let night = 0; night < 2; night += 1) await answerTo(put(...employees))
  t.strictSame(await answerTo(put(...employees)), [unchanged(3)])
  t.notOk(statements().includes('load-employees'))
  t.match(warnings(), [{ code: 'inactive_employees', count: 1 }])
})

await t.test('a record is compared with the state once another call has changed its employee', async (t) => {
  const { company, put, employees, answerTo } = await openSynced(t)
  const [one, ...others] = employees as [Sent, ...Sent[]]
  await answerTo(largeCall(company, 'PATCH', [{ external_id: one.external_id, last_name: 'Married' }]))
  t.match(await answerTo(put(one, ...others)), [{ updated: 1, no_updates: 2 }])
  t.strictSame(await answerTo(put(one, ...others)), [unchanged(3)])
})

await t.test('a change by the call before it in the transaction counts', async (t) => {
  const { company, put, employees, answerTo } = await openSynced(t)
  const { external_id } = employees[0]!
  const change = largeCall(company, 'PATCH', [{ external_id, last_name: 'Married' }])
  t.match(await answerTo(change, put(...employees)), [{ updated: 1 }, { updated: 1, no_updates: 2 }])
})

await t.test(
  'a manager who is named by an email address that is now that of another employee is a change',
  async (t) => {
    const [boss, next, ...team] = makeEmployees(4) as [Sent, Sent, Sent, Sent]
    const managed = team.map((sent) => ({ ...sent, manager_email: boss.email }))
    const { company, put, answerTo } = await openSynced(t, [boss, next, ...managed])
    t.strictSame(await answerTo(put(...managed)), [unchanged(2)])
    const swapped = [
      { external_id: boss.external_id, email: next.email },
      { external_id: next.external_id, email: boss.email },
    ]
    t.match(await answerTo(largeCall(company, 'PATCH', swapped)), [{ updated: 2 }])
    t.match(await answerTo(put(...managed)), [{ updated: 2 }])
  },
)

await t.test('several records of one employee are refused, whatever they changed before', async (t) => {
  const { put, employees, answerTo } = await openSynced(t)
  const [one, other] = employees as [Sent, Sent, Sent]
  const code = 'duplicate_in_batch'
  t.match(await answerTo(put(one, other, one)), [
    [
      { pointer: '/0/external_id', code },
      { pointer: '/2/external_id', code },
    ],
  ])
  const { external_id: _, ...byEmail } = one
  t.match(await answerTo(put(one, other, byEmail)), [
    [
      { pointer: '/0/external_id', code },
      { pointer: '/2/email', code },
    ],
  ])
})

await t.test('a record with an error is refused, although what is right in it changes nothing again', async (t) => {
  const { put, employees, answerTo } = await openSynced(t)
  const [one, ...others] = employees as [Sent, ...Sent[]]
  t.match(await answerTo(put({ ...one, start_date: '2026-02-30' }, ...others)), [
    [{ pointer: '/0/start_date', code: 'invalid_format' }],
  ])
  t.match(await answerTo(put({ ...one, phone: '030 123456' }, ...others)), [
    [{ pointer: '/0/phone', code: 'invalid_format' }],
  ])
})

await t.test('an external id with a blank behind it is that of the same employee', async (t) => {
  const withoutEmail = makeEmployees(3).map((sent) => ({ ...sent, email: '' }))
  const { put, employees, answerTo } = await openSynced(t, withoutEmail)
  const padded = employees.map((sent) => ({ ...sent, external_id: `${sent.external_id} ` }))
  t.strictSame(await answerTo(put(...padded)), [unchanged(3)])
  t.match(await answerTo(put(...withoutEmail, { ...padded[0], last_name: 'Married' })), [
    [
      { pointer: '/0/external_id', code: 'duplicate_in_batch' },
      { pointer: '/3/external_id', code: 'duplicate_in_batch' },
    ],
  ])
})

await t.test('a value of an employee about whom the call changes nothing stays taken', async (t) => {
  const { put, employees, answerTo } = await openSynced(t)
  const [one, other, third] = employees as [Sent, Sent, Sent]
  t.match(await answerTo(put(one, other, { ...third, email: one.email })), [
    [{ pointer: '/2/email', code: 'already_exists' }],
  ])
})

await t.test('a client that sends other records replaces digests with a few of its calls only', async (t) => {
  const { company, put, employees, answerTo, statements } = await openSynced(t)
  const patch = (lastCharacter: string) => {
    const call = largeCall(
      company,
      'PATCH',
      employees.map(({ external_id }) => ({ external_id, status: 'active' })),
    )
    return { ...call, callId: call.callId.slice(0, -1) + lastCharacter }
  }
  t.strictSame(await answerTo(patch('7')), [unchanged(3)])
  t.notOk(statements().includes('write-digests'))
  t.strictSame(await answerTo(put(...employees)), [unchanged(3)])
  t.notOk(statements().includes('load-employees'), 'the records of the first client are recognized')
  for (let call = 0; call < 2; call += 1) t.strictSame(await answerTo(patch('8')), [unchanged(3)])
  t.ok(statements().includes('write-digests'))
  t.strictSame(await answerTo(patch('7')), [unchanged(3)])
  t.notOk(statements().includes('load-employees'), 'the records of the second client are recognized')
})

await t.test('records that nobody repeats keep others from being remembered for one more time only', async (t) => {
  const unchanged = new UnchangedOnce(8)
  const digest = (at: number, rest: string) => at.toString(16).padStart(8, '0') + rest.repeat(24)
  t.strictSame(
    [3, 4, 3].map((at) => unchanged.isAgain(digest(at, 'a'))),
    [false, false, true],
  )
  t.notOk(unchanged.isAgain(digest(3 + 8, 'b')), 'another one with the same place')
  t.strictSame(
    [3, 4, 3].map((at) => unchanged.isAgain(digest(at, 'a'))),
    [false, true, true],
  )
})

await t.test('an employee who is erased and created again is a new one', async (t) => {
  const { company, put, employees, answerTo } = await openSynced(t)
  const { external_id: value } = employees[0]!
  const acting = { companyId: company.id, actor: OPERATOR }
  await eraseEmployee({ pool: service.pool, newId }, acting, { by: 'external_id', value })
  t.match(await answerTo(put(...employees)), [{ total: 3, updated: 0, no_updates: 2 }])
  t.strictSame(await answerTo(put(...employees)), [unchanged(3)])
})

await t.test('what is only validated gets no digest', async (t) => {
  const { company, answerTo, statements } = await openSynced(t)
  const added = makeEmployees(2)
  await answerTo(createCall(company, added))
  const validated = largeCall(company, 'PUT', added, true)
  for (let call = 0; call < 2; call += 1) t.strictSame(await answerTo(validated), [unchanged(2)])
  t.notOk(statements().includes('write-digests'))
  for (let call = 0; call < 2; call += 1) t.strictSame(await answerTo(largeCall(company, 'PUT', added)), [unchanged(2)])
  t.ok(statements().includes('write-digests'))
})
