import fc from 'fast-check'
import t from 'tap'
import { employee, startService } from '../../support/service.ts'
import { connectProvider, ENTERPRISE } from '../../support/scim-client.ts'

/* The same history through SCIM and through the public API gives the same employees. */

const service = await startService(t)
const idp = await connectProvider(service, 'Provider')
let serial = 0

/** A change of a person, as a patch of SCIM and as a merge patch of the public API. */
const anyChange = fc.oneof(
  fc.constantFrom('A', 'Ünï', '').map((title) => ({
    operation: { op: 'Replace', path: 'title', value: title },
    patch: { job_title: title },
  })),
  fc.constantFrom('R&D', 'Sales').map((department) => ({
    operation: { op: 'add', value: { [`${ENTERPRISE}:department`]: department } },
    patch: { department },
  })),
  fc.constantFrom(true, false).map((active) => ({
    operation: { op: 'replace', path: 'active', value: active ? 'True' : 'False' },
    patch: { status: active ? 'active' : 'inactive' },
  })),
  fc.constantFrom('+34 600 123 456', '+48600100200').map((value) => ({
    operation: { op: 'add', path: 'phoneNumbers[type eq "work"].value', value },
    patch: { phone: value, custom_attributes: { 'phoneNumbers.work.value': value.includes(' ') ? value : null } },
  })),
  fc.constantFrom('Uta', 'Ulf').map((name) => ({
    operation: { op: 'replace', path: 'name', value: { givenName: name } },
    patch: { first_name: name },
  })),
  fc.constantFrom('x', null).map((value) => ({
    operation: value === null ? { op: 'remove', path: 'nickName' } : { op: 'add', path: 'nickName', value },
    patch: { custom_attributes: { nickName: value } },
  })),
)

await t.test('any history through SCIM gives the employee that the public API gives', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyChange, { maxLength: 6 }), async (changes) => {
      serial += 1
      const names = { first_name: 'Uta', last_name: 'Orr' }
      const made = await service.call('POST', '/v1/employees', {
        body: employee({ ...names, email: `api${serial}@example.com`, user_name: `api${serial}` }),
      })
      const ours = made.body.employees[0].id as string
      const user = { userName: `idp${serial}`, emails: [{ value: `idp${serial}@example.com` }] }
      const { body } = await idp.post({ ...user, name: { givenName: 'Uta', familyName: 'Orr' } })
      for (const { operation, patch } of changes) {
        await service.call('PATCH', `/v1/employees/${ours}`, { body: patch })
        await idp.patch(body.id, operation)
      }
      const [one, other] = await Promise.all(
        [ours, body.id].map(async (id: string) => {
          const { body: shown } = await service.call('GET', `/v1/employees/${id}`)
          const own = ['id', 'email', 'user_name', 'created_at', 'updated_at', 'deactivated_at']
          return Object.entries(shown as object).filter(([name]) => !own.includes(name))
        }),
      )
      if (JSON.stringify(one) !== JSON.stringify(other))
        throw new Error(`${JSON.stringify(one)} ${JSON.stringify(other)}`)
    }),
    { numRuns: 25 },
  )
})
