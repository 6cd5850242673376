import t from 'tap'
import { toUuid } from '../../../src/domain/ids.ts'
import { employee, startService } from '../../support/service.ts'

/* A phone number without a country code is one of the company's country. */

const service = await startService(t)
const setCountry = (country: string | null) => service.manage('PATCH', '/company', { country })
const LOCAL = '030 123456'
const NO_COUNTRY = 'phone needs a country code, unless the company has a country'

const created = await service.call('POST', '/v1/employees', { body: employee({ external_id: 'L-1' }) })
const { id } = created.body.employees[0]
const patch = (phone: string, query = '') => service.call('PATCH', `/v1/employees/${id}${query}`, { body: { phone } })

await t.test('without a country, a local number is refused with the ways out', async (t) => {
  const { status, body } = await patch(LOCAL)
  t.equal(status, 422)
  t.match(body.errors, [{ pointer: '/phone', code: 'invalid_format', message: NO_COUNTRY }])
})

await t.test('with a country, a local number is stored as E.164 by every kind of call', async (t) => {
  await setCountry('DE')
  t.equal((await patch(LOCAL)).body.employee.phone, '+4930123456')
  t.match((await patch('(030) 12 34 56')).body, { result: 'no_updates' })
  t.match((await patch(LOCAL, '?validate_only=true')).body, { result: 'no_updates' })
  const many = { employees: [{ external_id: 'L-1', phone: '0151 1234567' }] }
  t.match((await service.call('PATCH', '/v1/employees', { body: many })).body.results, [{ changed: ['phone'] }])
  t.match((await service.call('PUT', '/v1/employees', { body: many })).body.results, [{ result: 'no_updates' }])
  const hired = await service.call('POST', '/v1/employees', { body: employee({ phone: '0151/1234567' }) })
  t.equal(hired.body.employees[0].phone, '+491511234567')
  t.equal((await patch('+34 910 000 000')).body.employee.phone, '+34910000000', 'a country code wins')
})

await t.test('what is no number of the country is refused', async (t) => {
  for (const [phone, message] of [
    ['030 123456 ext. 3', 'phone has an extension, which is not part of a phone number'],
    ['030 12345678901234', 'phone has the wrong length for a number of its country'],
    ['0', 'phone is too short for a phone number'],
    ['+030123456', 'phone must begin with + and the code of its country'],
  ] as const)
    t.match((await patch(phone)).body.errors, [{ pointer: '/phone', message }])
})

await t.test('a new country leaves stored numbers as they are, and counts for the next call', async (t) => {
  await patch(LOCAL)
  await setCountry('AT')
  t.equal((await service.call('GET', `/v1/employees/${id}`)).body.phone, '+4930123456')
  t.equal((await patch('01 234567')).body.employee.phone, '+431234567')
  await setCountry(null)
  t.equal((await patch('01 234567')).status, 422)
})

await t.test('the events of a call have the country that the ledger says at their position', async (t) => {
  const countries = ['DE', 'FR', null, 'AT', 'DE', null, 'FR']
  const changes = countries.map(async (country, at) => {
    for (let n = 0; n < at; n += 1) await service.call('GET', `/v1/employees/${id}`)
    await setCountry(country)
  })
  const calls = Array.from({ length: 30 }, () =>
    service.call('POST', '/v1/employees', { body: employee({ phone: '01 23 45 67 89' }) }),
  )
  await Promise.all([...changes, ...calls])
  const { rows } = await service.pool.query<{ type: string; data: string }>(
    `select type, data from events where company_id = $1
       and type in ('CompanyCountryChanged', 'EmployeeCreated', 'EmployeeRecordRejected') order by position`,
    [toUuid(service.company.id)],
  )
  const codes = { DE: '+49', AT: '+43', FR: '+33' }
  let country: keyof typeof codes | null = null
  let decided = 0
  for (const { type, data: text } of rows) {
    const data = JSON.parse(text)
    if (type === 'CompanyCountryChanged') country = data.to
    if (type === 'EmployeeCreated' && data.attributes.phone !== undefined) {
      t.ok(country !== null && data.attributes.phone.startsWith(codes[country]), `${country} ${data.attributes.phone}`)
      decided += 1
    }
    if (type === 'EmployeeRecordRejected' && data.record?.phone === '01 23 45 67 89') {
      t.equal(country, null)
      decided += 1
    }
  }
  t.ok(decided >= calls.length)
})
