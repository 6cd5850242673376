import fc from 'fast-check'
import t from 'tap'
import { employee, startService } from '../../support/service.ts'
import { connectProvider, CORE, ENTERPRISE } from '../../support/scim-client.ts'

/* The same history through SCIM and through the public API gives the same employees. */

const service = await startService(t)
const idp = await connectProvider(service, 'Provider')
let serial = 0

const limited = await connectProvider(service, 'Limited', { writable_fields: ['department', 'status'] })
const bossId = (await idp.post({ userName: 'boss', name: { givenName: 'Bo', familyName: 'Orr' } })).body.id as string

/** A change of a person: what a provider sends, and the same as a merge patch of the public API, if it is one. */
interface Change {
  send(user: { id: string; userName: string }): Promise<{ status: number }>
  patches: object[]
  /** The events that only SCIM has. */
  deletions?: number
}

const patched = (patch: object, ...operations: object[]): Change => ({
  send: ({ id }) => idp.patch(id, ...operations),
  patches: [patch],
})
const replaced = (patch: object, user: object): Change => ({
  send: ({ id, userName }) => idp.put(id, { userName, ...user }),
  patches: [patch],
})

/** All spellings in which providers set a single value. */
function setInAnyWay(
  { urn = CORE, name, patch }: { urn?: string; name: string; patch(value: string): object },
  ...values: string[]
): fc.Arbitrary<Change> {
  const isCore = urn === CORE
  return fc.constantFrom(...values).chain((value) => {
    const path = isCore ? name : `${urn}:${name}`
    return fc.constantFrom(
      patched(patch(value), { op: 'Replace', path, value }),
      patched(patch(value), { op: 'Add', path: path.toUpperCase(), value }),
      patched(patch(value), { op: 'replace', value: isCore ? { [name]: value } : { [urn]: { [name]: value } } }),
      patched(patch(value), { op: 'add', value: { [`${urn}:${name}`]: value } }),
      patched(patch(value), { op: 'replace', path, value: 'before' }, { op: 'replace', path, value }),
      replaced(patch(value), isCore ? { [name]: value } : { [urn]: { [name]: value } }),
      ...(value === '' ? [patched(patch(value), { op: 'Remove', path })] : []),
    )
  })
}

const manager = (value: unknown) => ({ [ENTERPRISE]: { manager: value } })

const anyChange: fc.Arbitrary<Change> = fc.oneof(
  setInAnyWay({ name: 'title', patch: (value) => ({ job_title: value }) }, 'A', 'Ünï', ''),
  setInAnyWay({ urn: ENTERPRISE, name: 'department', patch: (department) => ({ department }) }, 'R&D', 'Sales', ''),
  setInAnyWay({ name: 'nickName', patch: (value) => ({ custom_attributes: { nickName: value || null } }) }, 'x', ''),
  fc
    .boolean()
    .chain((active) =>
      fc.constantFrom(
        patched(
          { status: active ? 'active' : 'inactive' },
          { op: 'replace', path: 'active', value: active ? 'True' : 'False' },
        ),
        patched({ status: active ? 'active' : 'inactive' }, { op: 'add', value: { active } }),
        replaced({ status: active ? 'active' : 'inactive' }, { active }),
      ),
    ),
  fc.constantFrom('+34 600 123 456', '+48600100200').chain((value) => {
    const patch = {
      phone: value,
      custom_attributes: { 'phoneNumbers.work.value': value.includes(' ') ? value : null },
    }
    return fc.constantFrom(
      patched(patch, { op: 'add', path: 'phoneNumbers[type eq "work"].value', value }),
      patched(patch, { op: 'Replace', path: 'phoneNumbers', value: [{ type: 'work', value }] }),
      replaced(patch, { phoneNumbers: [{ value, primary: true }] }),
    )
  }),
  fc
    .constantFrom('Uta', 'Ulf')
    .chain((givenName) =>
      fc.constantFrom(
        patched({ first_name: givenName }, { op: 'replace', path: 'name', value: { givenName } }),
        patched({ first_name: givenName }, { op: 'Replace', path: 'name.givenName', value: givenName }),
        patched({ first_name: givenName }, { op: 'replace', value: { 'name.givenName': givenName } }),
        replaced({ first_name: givenName }, { name: { givenName } }),
      ),
    ),
  fc.constantFrom(
    ...[bossId, { value: bossId }, 'BOSS'].map((value) =>
      patched({ manager_id: bossId }, { op: 'Add', path: `${ENTERPRISE}:manager`, value }),
    ),
    patched({ manager_id: bossId }, { op: 'replace', path: `${ENTERPRISE}:manager.value`, value: bossId }),
    replaced({ manager_id: bossId }, manager({ value: bossId })),
    patched({ manager_id: null }, { op: 'remove', path: `${ENTERPRISE}:manager` }),
    replaced({ manager_id: null }, manager(null)),
    // An unknown one is told, and stops nothing else.
    replaced({ job_title: 'B' }, { title: 'B', ...manager({ value: 'nobody' }) }),
  ),
  // A new title, so that the return changes something else than what only SCIM sees.
  fc.uuid().map((title): Change => ({
    async send({ id, userName }) {
      await idp.remove(id)
      return idp.post({ userName, title })
    },
    patches: [{ status: 'inactive' }, { status: 'active', job_title: title }],
    deletions: 1,
  })),
  fc.constantFrom('R&D', 'Ops').map((department): Change => ({
    send: ({ id, userName }) =>
      limited.put(id, { userName, title: 'not theirs', [ENTERPRISE]: { department, manager: { value: bossId } } }),
    patches: [{ department }],
  })),
)

await t.test('any history through SCIM gives the employee that the public API gives', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyChange, { maxLength: 8 }), async (changes) => {
      serial += 1
      const names = { first_name: 'Uta', last_name: 'Orr' }
      const made = await service.call('POST', '/v1/employees', {
        body: employee({ ...names, email: `api${serial}@example.com`, user_name: `api${serial}` }),
      })
      const ours = made.body.employees[0].id as string
      const userName = `idp${serial}`
      const user = { userName, emails: [{ value: `idp${serial}@example.com` }] }
      const { body } = await idp.post({ ...user, name: { givenName: 'Uta', familyName: 'Orr' } })
      let deletions = 0
      for (const { send, patches, deletions: more = 0 } of changes) {
        const { status } = await send({ id: body.id, userName })
        if (status >= 300) throw new Error(`a change is answered with ${status}`)
        deletions += more
        for (const patch of patches) await service.call('PATCH', `/v1/employees/${ours}`, { body: patch })
      }
      const [one, other] = await Promise.all(
        [ours, body.id].map(async (id: string) => {
          const { body: shown } = await service.call('GET', `/v1/employees/${id}`)
          const own = ['id', 'email', 'user_name', 'created_at', 'updated_at', 'deactivated_at']
          const version = shown.version - (id === ours ? 0 : deletions)
          return Object.entries({ ...shown, version } as object).filter(([name]) => !own.includes(name))
        }),
      )
      if (JSON.stringify(one) !== JSON.stringify(other))
        throw new Error(`${JSON.stringify(one)} ${JSON.stringify(other)}`)
    }),
    { numRuns: 60 },
  )
})
