import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { toUuid } from '../../../src/domain/ids.ts'
import { anyPatch } from '../../support/domain/arbitraries.ts'
import { asSuperuser } from '../../support/postgres/as-superuser.ts'
import { streamOf } from '../../support/ledger/company-events.ts'
import { lengthenLedger } from '../../support/ledger/long-ledger.ts'
import type { Answer } from '../../support/service.ts'
import { employee, startService } from '../../support/service.ts'
import { foldEmployees } from '../../support/ledger/verify-ledger.ts'
import { ERASE } from '../../support/ledger/event-row.ts'

const service = await startService(t)
const { company } = service

const at = (id: string, place?: string | number, token?: string): Promise<Answer> =>
  service.audit(`/employees/${id}${place === undefined ? '' : `?at=${encodeURIComponent(place)}`}`, token)

async function hire(more = {}, key = company.key) {
  const answer = await service.call('POST', '/v1/employees', { body: employee(more), key })
  return {
    id: answer.body.employees[0].id as string,
    position: Number(answer.headers['x-ledger-position']) - 1,
    callId: answer.body.log_id as string,
  }
}
const patch = (id: string, body: object) => service.call('PATCH', `/v1/employees/${id}`, { body })

await t.test('an employee is shown as of a position, and as of now without one', async (t) => {
  const { id, position, callId } = await hire({ job_title: 'Dev', custom_attributes: { grade: 7 } })
  const promoted = await patch(id, { job_title: 'Lead', custom_attributes: { grade: null } })
  await patch(id, { status: 'inactive' })
  const now = await at(id)
  t.strictSame(now.body.employee, (await service.call('GET', `/v1/employees/${id}`)).body)
  t.match(now.body.causes, {
    job_title: { call_id: promoted.body.log_id, type: 'EmployeeUpdated', actor: company.key.api_id },
  })
  t.match(now.body.causes.status, { type: 'EmployeeDeactivated' })
  t.match(now.body.causes.email, { position, call_id: callId, type: 'EmployeeCreated' })
  t.notOk('custom_attributes.grade' in now.body.causes)
  const then = await at(id, position)
  t.match(then.body, {
    position,
    employee: { job_title: 'Dev', status: 'active', version: 1, custom_attributes: { grade: 7 } },
  })
  t.match(then.body.causes['custom_attributes.grade'], { position })
  t.match(await at(id, position - 1), { status: 404, body: { code: 'employee_not_found' } })
  t.match(await at(id, 0), { status: 404 })
})

await t.test('a time shows the state after the last event at or before it', async (t) => {
  const { id, position } = await hire()
  await patch(id, { job_title: 'Later' })
  const [created, updated] = await streamOf(service, id)
  // If both were recorded in the same millisecond, that time shows the later one.
  const isSame = created!.recorded_at === updated!.recorded_at
  const then = await at(id, created!.recorded_at)
  t.equal(then.body.employee.version, isSame ? 2 : 1)
  t.ok(then.body.position >= position)
  const east = new Date(Date.parse(updated!.recorded_at) + 7_200_000).toISOString().replace('Z', '+02:00')
  t.match((await at(id, east)).body.employee, { job_title: 'Later' })
  t.match((await at(id, new Date(Date.parse(created!.recorded_at) - 1).toISOString())).status, 404)
  const { rows } = await service.pool.query<{ now: string }>('select clock_timestamp() as now')
  t.match((await at(id, rows[0]!.now)).body.employee, { job_title: 'Later' })
})

await t.test('a malformed or future position or time is refused', async (t) => {
  const { id, position } = await hire()
  const beyond = position + 2
  t.match(await at(id, beyond), {
    status: 400,
    body: { code: 'invalid_query', detail: new RegExp(`at is beyond the head .* ${beyond - 1}$`) },
  })
  t.match(await at(id, '2100-01-01T00:00:00Z'), {
    status: 400,
    body: { code: 'invalid_query', detail: /at must not be in the future/ },
  })
  for (const place of [
    '',
    '-1',
    '1.5',
    '1e3',
    'now',
    '2026-11-20',
    '2026-13-20T00:00:00Z',
    '9'.repeat(16),
    '0000-01-01T00:00:00Z',
  ]) {
    t.match(await at(id, place), { status: 400, body: { code: 'invalid_query', detail: /parameter at/ } }, place)
  }
})

await t.test("unknown ids, other kinds of ids and other companies' ids get the same answer", async (t) => {
  const other = await service.makeCompany('Other')
  const theirs = await hire({}, other.key)
  for (const id of [theirs.id, 'emp_01h455vb4pex5vsknk084sn02q', company.id, 'x']) {
    const answers = [await at(id), await service.audit(`/employees/${id}/history`)]
    for (const { status, body } of answers)
      t.match(
        { status, body },
        { status: 404, body: { code: 'employee_not_found', detail: 'No such employee exists' } },
        id,
      )
  }
  t.equal((await at(theirs.id, undefined, other.auditor.token)).status, 200)
})

await t.test('an erased employee is shown at no position, and the history has events without data', async (t) => {
  const { id, position } = await hire()
  await patch(id, { job_title: 'Dev' })
  const events = `company_id = '${toUuid(company.id)}' and stream_id = '${toUuid(id)}'`
  await asSuperuser(service.urls.superUrl, `update events set ${ERASE} where ${events}`)
  for (const place of [undefined, position]) {
    t.match(await at(id, place), {
      status: 404,
      body: { code: 'employee_not_found', detail: "The employee's data has been erased" },
    })
  }
  const { body } = await service.audit(`/employees/${id}/history`)
  t.match(body.items, [
    { type: 'EmployeeUpdated', data: null },
    { type: 'EmployeeCreated', data: null },
  ])
})

await t.test('the history of an employee is newest first', async (t) => {
  const { id } = await hire()
  for (let number = 0; number < 6; number += 1) await patch(id, { job_title: `Title ${number}` })
  const { body: lines } = await service.audit(`/events?employee=${id}`)
  const { body: history } = await service.audit(`/employees/${id}/history`)
  t.strictSame(history.items, lines.toReversed())
})

await t.test('an employee with 5,000 events is shown too', async (t) => {
  const { id, position } = await hire()
  await lengthenLedger(service, company.id, id, 5_000)
  t.match((await at(id)).body.employee, { job_title: '5000', version: 5_001 })
  t.match((await at(id, position + 1 + 1_234)).body, {
    employee: { job_title: '1234' },
    causes: { job_title: { position: position + 1 + 1_234 } },
  })
  const { body } = await service.audit(`/employees/${id}/history?limit=2`)
  t.match(body.items, [{ version: 5_001 }, { version: 5_000 }])
})

await t.test('at every position of any history, an employee is the fold of the events up to it', async (t) => {
  let histories = 0
  let states = 0
  const property = fc.asyncProperty(
    fc.array(fc.tuple(fc.nat(), anyPatch), { minLength: 2, maxLength: 6 }),
    async (patches) => {
      const { id: companyId, key, auditor } = await service.makeCompany(`History ${(histories += 1)}`)
      const { body } = await service.call('POST', '/v1/employees', { body: [employee(), employee()], key })
      const ids: string[] = body.employees.map(({ id }: { id: string }) => id)
      for (const [which, sent] of patches)
        await service.call('PATCH', `/v1/employees/${ids[which % 2]}`, { body: sent, key })
      const events = [
        ...(await streamOf(service, ids[0]!, companyId)),
        ...(await streamOf(service, ids[1]!, companyId)),
      ]
      const { body: lines } = await service.audit('/events', auditor.token)
      for (let position = 1; position <= lines.length; position += 1) {
        const folded = foldEmployees(events.filter((event) => event.position <= position))
        for (const id of ids) {
          const answer = await at(id, position, auditor.token)
          assert.deepEqual(answer.status === 200 ? answer.body.employee : undefined, folded.get(id))
          states += answer.status === 200 ? 1 : 0
        }
      }
    },
  )
  await t.resolves(fc.assert(property, { numRuns: 12 }))
  t.ok(states > 100, `${states} states`)
})
