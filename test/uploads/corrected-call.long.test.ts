import fc from 'fast-check'
import t from 'tap'
import { inputs } from '../support/quick.ts'
import type { TestCompany } from '../support/service.ts'
import { send, startService } from '../support/service.ts'

/*
 * What the CSV export of a failed call gives decides, when it is uploaded, the same as the call: once the cause of the
 * failure is mended, without touching the file.
 */

const service = await startService(t, { BODY_BUDGET: String(256 * 1024 * 1024) })
const [called, uploaded] = [await service.makeCompany('Called'), await service.makeCompany('Uploaded')]

const call = (company: TestCompany, method: 'PUT' | 'POST', body: unknown) =>
  service.call(method, '/v1/employees', { body, key: company.key })
const manage = (company: TestCompany, method: 'GET' | 'POST', path: string) =>
  service.manage(method, path, undefined, company.admin.token)

/** Values that spreadsheets change, and values that are no texts. */
const text = fc.oneof(
  fc.constantFrom('=1+1', '+4915112345678', '00123', '1.10', '2026-02-28', 'MAR1', "'x", '(empty)', '(json) {}', ' '),
  fc.constantFrom('@a', 'true', '-7', '1e5', '#N/A', 'a;b,c\t|d', 'line\nbreak', '"quoted"', '’', 'ß', '😀'),
  fc.string({ unit: 'grapheme', maxLength: 12 }).filter((value) => !value.includes('\0') && value.isWellFormed()),
)
const custom = fc.oneof(text, fc.boolean(), fc.integer({ min: -1e9, max: 1e9 }), fc.constant(null))
const anything = fc.oneof({ weight: 8, arbitrary: text }, { weight: 1, arbitrary: fc.constant(null) }, fc.jsonValue())
const key = fc.constantFrom('grade', 'Shoe size', 'badge', 'a.b', '1', 'E-Mail')

const attributes = {
  first_name: fc.oneof({ weight: 5, arbitrary: fc.constant('Ana') }, anything),
  last_name: fc.oneof({ weight: 5, arbitrary: fc.constant('Pérez') }, text),
  job_title: anything,
  location: anything,
  phone: fc.constantFrom('+4915112345678', '+34910000000', null),
  start_date: fc.oneof({ weight: 5, arbitrary: fc.constantFrom('2026-02-28', null) }, fc.constant('2026-02-30')),
}
const customAttributes = { custom_attributes: fc.dictionary(key, custom, { maxKeys: 3 }) }
const requiredKeys: ['first_name', 'last_name'] = ['first_name', 'last_name']
/** Few records have an attribute that does not exist, since it refuses the whole call. */
const record = fc.oneof(
  { weight: 9, arbitrary: fc.record({ ...attributes, ...customAttributes }, { requiredKeys }) },
  { weight: 1, arbitrary: fc.record({ ...attributes, shoe_size: text, ...customAttributes }, { requiredKeys }) },
)

/** Is completed; with an attribute that does not exist, it is not. */
const ANA = { first_name: 'Ana', last_name: 'Pérez' }

let run = 0
/** What became of a call, without what differs from company to company. */
const outcomeOf = async (company: TestCompany, logId: string, prefix: string) => {
  await service.project(company.id)
  const { status, counts, error } = (await manage(company, 'GET', `/bulk-user-logs/${logId}`)).body
  const { items } = (await manage(company, 'GET', `/bulk-user-logs/${logId}/records?limit=200`)).body
  const listed = await service.call('GET', '/v1/employees?limit=200', { key: company.key })
  return {
    status,
    counts,
    code: error?.code ?? null,
    detail: error?.detail ?? null,
    records: items.map(({ index, status, record, errors }: Record<string, unknown>) => ({
      index,
      status,
      record,
      errors,
    })),
    employees: listed.body.items
      .filter(({ external_id: id }: { external_id: string }) => id.startsWith(prefix))
      .map(({ id: _id, manager_id: manager, created_at: _c, updated_at: _u, ...values }: Record<string, unknown>) => ({
        ...values,
        hasManager: manager !== null,
      }))
      .toSorted((a: { external_id: string }, b: { external_id: string }) => (a.external_id < b.external_id ? -1 : 1)),
  }
}

await t.test('the export of a failed call, uploaded, decides the same as the call', async (t) => {
  const decided = { Completed: 0, Failed: 0 }
  await fc.assert(
    fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 4 }), async (generated) => {
      run += 1
      const prefix = `R${run}-`
      // Nobody has this manager yet, so that each record is refused.
      const records = generated.map((values, at) => ({
        ...values,
        external_id: `${prefix}${at}`,
        email: `r${run}.${at}@example.com`,
        manager_external_id: `M${run}`,
      }))
      const refused = await call(uploaded, 'PUT', records)
      if (refused.body.code !== 'validation_failed') throw new Error(JSON.stringify(refused.body))
      await service.project(uploaded.id)
      const csv = await manage(uploaded, 'GET', `/bulk-user-logs/${refused.body.log_id}/failed-records.csv`)
      const manager = { first_name: 'M', last_name: 'M', external_id: `M${run}`, email: `m${run}@example.com` }
      for (const company of [called, uploaded]) await call(company, 'POST', manager)

      const direct = await call(called, 'PUT', records)
      const file = await send(service.address, 'POST', '/admin/v1/uploads?file_name=a.csv', {
        key: null,
        body: csv.body,
        headers: { 'content-type': 'text/csv', authorization: `Bearer ${uploaded.admin.token}` },
      })
      // Attributes that do not exist are errors in both.
      const applied = await manage(uploaded, 'POST', `/uploads/${file.body.id}/apply`)
      if (applied.status !== 200) throw new Error(JSON.stringify(applied.body))
      const expected = await outcomeOf(called, direct.body.log_id, prefix)
      t.strictSame(await outcomeOf(uploaded, applied.body.parts[0].log_id, prefix), expected)
      decided[expected.status as keyof typeof decided] += 1
    }),
    {
      numRuns: inputs(10, 200),
      examples: [
        [[ANA]],
        [[{ ...ANA, shoe_size: '42' }]],
        // With columns that the remembered mapping does not have, and a blank that clears.
        [[{ ...ANA, shoe_size: '42', start_date: '2026-02-28', location: ' ' }]],
      ],
      ...(process.env['SEED'] === undefined ? {} : { seed: Number(process.env['SEED']) }),
    },
  )
  t.ok(decided.Completed > 0 && decided.Failed > 0, JSON.stringify(decided))
})
