import t from 'tap'
import { isQuick } from '../support/quick.ts'
import { rowsWith } from '../support/postgres/rows-with.ts'
import { employee, startService } from '../support/service.ts'

/* Every identifier of a person is put into every place of refused calls, by which somebody may have meant the person. */

const OLD = { email: 'Zyx.Old@zorb.example', external_id: 'HR zyx-1' }
const NEW = { email: 'zyx.new@zorb.example', external_id: '4070808' }
const SECRET = { last_name: 'Quuxworth', phone: '+34907070707x' }
/** Larger than what the ledger keeps whole. */
const LONG = { job_title: 'x'.repeat(70_000) }

const service = await startService(t)
const created = await service.call('POST', '/v1/employees', { body: employee(OLD) })
const { id } = created.body.employees[0]
await service.call('PATCH', `/v1/employees/${id}`, { body: NEW })

const IDENTIFIERS = [id, id.toUpperCase(), OLD.email, NEW.email, OLD.external_id, NEW.external_id]
const PLACES = ['id', 'email', 'external_id', 'manager_id', 'manager_email', 'manager_external_id']
const METHODS = ['POST', 'PATCH', 'PUT'] as const
const SPELLINGS = [
  (value: string) => value,
  (value: string) => ` ${value} `,
  (value: string) => (/^\d+$/.test(value) ? Number(value) : value),
]

/** Refused records that name the person: each identifier in each place, in each spelling, short and long, and nested. */
const records = IDENTIFIERS.flatMap((identifier) =>
  PLACES.flatMap((place) => [
    ...SPELLINGS.flatMap((spell) =>
      [{}, LONG].map((more) => ({ ...SECRET, ...more, [place]: spell(identifier), status: 'refused' })),
    ),
    { ...SECRET, [place]: { value: [identifier] }, status: 'refused' },
  ]),
)

await t.test('an erasure finds a refused record by any identifier in any place of any call', async (t) => {
  for (const [at, record] of records.entries()) {
    // In the gate, the methods take turns.
    for (const method of isQuick ? [METHODS[at % METHODS.length]!] : METHODS) {
      const { status } = await service.call(method, '/v1/employees', { body: [record] })
      t.ok(status === 422 || status === 409, `${method} was refused with ${status}`)
    }
  }
  for (const identifier of IDENTIFIERS) {
    const path = `/v1/employees/${encodeURIComponent(identifier)}`
    const { status } = await service.call('PATCH', path, { body: SECRET })
    t.ok(status === 404 || status === 422, `PATCH was refused with ${status}`)
  }
  await service.project()
  const words = [SECRET.last_name, SECRET.phone]
  t.ok((await rowsWith(service.urls.superUrl, words)).length > records.length)
  t.match(await service.manage('POST', '/erasures', { employee_id: id }), { status: 200 })
  await service.project()
  t.strictSame(await rowsWith(service.urls.superUrl, words), [])
})
