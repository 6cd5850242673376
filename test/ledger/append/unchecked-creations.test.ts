import t from 'tap'
import { toUuid } from '../../../src/domain/ids.ts'
import { asSuperuser } from '../../support/postgres/as-superuser.ts'
import { openAppends } from '../../support/ledger/appends.ts'
import { createCall } from '../../support/ledger/calls.ts'
import { employee, startService } from '../../support/service.ts'

/* Calls that create many employees are decided as if all of them were new. */

const service = await startService(t, { LANES: '1' })
const create = (employees: unknown[], company = service.company, query = '') =>
  service.call('POST', `/v1/employees${query}`, { key: company.key, body: { employees } })
const many = () => Array.from({ length: 30 }, () => employee())
const refusals = (body: { errors: { pointer: string; code: string }[] }) =>
  body.errors.map(({ pointer, code }) => `${pointer} ${code}`)

await t.test('a creation of many meets those who exist, and nothing of it is stored', async (t) => {
  const { company } = service
  const [taken, other] = [employee({ external_id: 'E-1' }), employee()]
  await create([taken, other], company)
  for (const attempt of ['first', 'second']) {
    const sent = many()
    sent[3] = employee({ email: other.email })
    sent[7] = employee({ external_id: 'E-1' })
    const { status, body } = await create(sent, company)
    t.equal(status, 409, attempt)
    t.strictSame(refusals(body), ['/employees/3/email already_exists', '/employees/7/external_id already_exists'])
    const { entry } = await service.logOf(body.log_id)
    t.match(entry, { status: 'Failed', counts: { total: 30, failed: 2 } })
  }
  const { body } = await service.call('GET', '/v1/employees?limit=100', { key: company.key })
  t.equal(body.items.length, 2)
  t.equal((await create(many(), company)).status, 201)
})

await t.test(
  'they are met if the refusal comes as an error of the server, as that of another machine does',
  async (t) => {
    const company = await service.makeCompany('Moved')
    const taken = employee()
    await create([taken], company)
    await asSuperuser(
      service.urls.superUrl,
      `create function refuse_elsewhere() returns trigger language plpgsql as $$
      begin raise exception 'duplicate key value' using errcode = 'XX000'; end $$`,
      `create trigger elsewhere before insert on employee_directory for each row
      when (new.email = '${taken['email'] as string}') execute function refuse_elsewhere()`,
    )
    const { status, body } = await create([...many(), employee({ email: taken['email'] })], company)
    await asSuperuser(service.urls.superUrl, 'drop trigger elsewhere on employee_directory')
    t.equal(status, 409)
    t.strictSame(refusals(body), ['/employees/30/email already_exists'])
  },
)

await t.test('an inactive employee is met, too', async (t) => {
  const company = await service.makeCompany('Inactive')
  const gone = employee({ status: 'inactive' })
  await create([gone], company)
  const { status, body } = await create([...many(), employee({ email: gone.email })], company)
  t.equal(status, 409)
  t.strictSame(refusals(body), ['/employees/30/email inactive_employee_exists'])
})

await t.test('a creation that fails for another reason names those who exist, too', async (t) => {
  const company = await service.makeCompany('Both')
  const taken = employee()
  await create([taken], company)
  const sent = [...many(), employee({ email: taken.email }), employee({ start_date: 'soon' })]
  const { status, body } = await create(sent, company)
  t.equal(status, 422)
  t.strictSame(refusals(body), ['/employees/30/email already_exists', '/employees/31/start_date invalid_format'])
})

await t.test('a creation that is only validated meets those who exist', async (t) => {
  const company = await service.makeCompany('Validated')
  const taken = employee()
  await create([taken], company)
  const { status, body } = await create([...many(), employee({ email: taken.email })], company, '?validate_only=true')
  t.equal(status, 409)
  t.strictSame(refusals(body), ['/employees/30/email already_exists'])
})

await t.test('a call that shares a transaction with a refused creation is stored', async (t) => {
  const [company, other] = [await service.makeCompany('Refused'), await service.makeCompany('Stored')]
  const taken = employee()
  await create([taken], company)
  const answers = await Promise.all([
    create(many(), other),
    create([...many(), employee({ email: taken.email })], company),
    create(many(), other),
    create(many(), company),
  ])
  t.strictSame(
    answers.map(({ status }) => status),
    [201, 409, 201, 201],
  )
})

await t.test('an employee created in the same transaction is met', async (t) => {
  const company = await service.makeCompany('Twice')
  const same = employee()
  const answers = await Promise.all([create([...many(), same], company), create([...many(), same], company)])
  t.same(new Set(answers.map(({ status }) => status)), new Set([201, 409]))
})

await t.test(
  'a creation is refused although a later call of its transaction changes the value that is taken',
  async (t) => {
    const company = await service.makeCompany('Changed')
    const taken = employee()
    await create([taken], company)
    const before = create(many(), company)
    const refused = create([...many(), employee({ email: taken.email, external_id: 'E-2' })], company)
    const later = service.call('PUT', '/v1/employees', {
      key: company.key,
      body: { employees: [employee({ external_id: 'E-2' })] },
    })
    t.equal((await before).status, 201)
    t.equal((await refused).status, 409)
    t.match(await later, { status: 200, body: { results: [{ result: 'created' }] } })
  },
)

await t.test('a creation that is refused for another reason than its records looks up nobody', async (t) => {
  const company = await service.makeCompany('Disabled')
  const { commit, sent } = openAppends(t, service)
  const call = createCall(company, many())
  await service.pool.query('update api_keys set is_enabled = false where company_id = $1', [toUuid(company.id)])
  const [refused] = await commit([call], { unchecked: [call] })
  t.match(refused!.answer, { status: 403, body: { code: 'key_disabled' } })
  t.notOk(sent.some(({ name }) => name === 'load-employees'))
})
