import t from 'tap'
import { startService } from '../../support/service.ts'
import { connectProvider, CORE, ENTERPRISE, PATCH_OP } from '../../support/scim-client.ts'

/* A day of an identity provider, as its documentation and reports show its requests, and what the log has of it. */

const service = await startService(t)

/** What the log has of the calls of a key, the oldest first. */
async function listEntries(keyId: string) {
  await service.project()
  const { body } = await service.admin(`/bulk-user-logs?key=${keyId}&limit=200`)
  return body.items.toReversed().map(({ name, status, operation, http_status, counts, notes }: Record<string, any>) => [
    `${name} ${status} ${operation} ${http_status}`,
    Object.entries(counts as Record<string, number>)
      .filter(([count, value]) => value > 0 && count !== 'total')
      .map(([count]) => count)
      .join(),
    notes.map(({ path, code }: Record<string, string>) => `${path} ${code}`).join(),
  ])
}

await t.test('Okta: test, look up, create, update, deactivate, assign again', async (t) => {
  const okta = await connectProvider(service, 'Okta')
  // Lists wait for the read model.
  await service.project()
  t.match(await okta.ask('GET', '/Users?startIndex=1&count=2'), {
    status: 200,
    body: { totalResults: 0, Resources: [] },
  })
  const name = 'Isaac.Brock@example.com'
  t.match(await okta.find(`userName eq "${name}"`, '&startIndex=1&count=100'), { body: { totalResults: 0 } })
  const body = {
    schemas: [CORE],
    userName: name,
    name: { givenName: 'Isaac', familyName: 'Brock' },
    emails: [{ primary: true, value: name, type: 'work', display: name }],
    displayName: 'Isaac Brock',
    locale: 'en-US',
    externalId: '00ujl29u0le5T6Aj10h7',
    groups: [],
    password: '1mz050nq',
    active: true,
  }
  const made = await okta.post(body)
  t.match(made, { status: 201, body: { userName: name, externalId: body.externalId, locale: 'en-US', active: true } })
  t.equal(made.body.password, undefined)
  t.equal(made.headers['location'], made.body.meta.location)
  const { id } = made.body
  t.match(await okta.post(body), { status: 409, body: { scimType: 'uniqueness', status: '409' } })

  const got = (await okta.get(id)).body
  const same = await okta.put(id, got)
  t.match(same, { status: 200, body: { meta: { version: got.meta.version } } }, 'PUT of what GET gave changes nothing')
  t.match(await okta.put(id, { ...got, title: 'Singer' }), { body: { title: 'Singer', locale: 'en-US' } })
  t.match(await okta.put(id, { userName: name, active: false }), { body: { active: false, title: 'Singer' } })
  t.match(
    await okta.find(`userName eq "${name.toUpperCase()}"`),
    { body: { totalResults: 1 } },
    'who is disabled is found',
  )
  t.match(await okta.post(body), { status: 201, body: { id, active: true } }, 'who is assigned again has the same id')
  t.match(await okta.patch(id, { op: 'replace', value: { active: false } }), { status: 200, body: { active: false } })

  t.strictSame(await listEntries(okta.key.id), [
    ['SCIM Completed create 201', '', ''],
    ['SCIM Failed create 409', 'failed', ''],
    ['SCIM Completed update_one 200', 'no_updates', ''],
    ['SCIM Completed update_one 200', 'updated', ''],
    ['SCIM Completed update_one 200', 'deactivated', ''],
    ['SCIM Completed upsert 201', 'updated', ''],
    ['SCIM Completed update_one 200', 'deactivated', ''],
  ])
})

await t.test('Entra: test, match, create, manager later, update, disable, delete, rehire', async (t) => {
  const entra = await connectProvider(service, 'Entra')
  const nobody = '7d420df3-9995-4831-a406-ecf8166f5f6a'
  const probe = await entra.ask('GET', `/Users?filter=userName+eq+%22${nobody}%22`)
  t.match(probe, { status: 200, body: { totalResults: 0, itemsPerPage: 0, Resources: [] } })
  const user = (name: string, more: object = {}) => ({
    schemas: [CORE, ENTERPRISE],
    externalId: `${name}-object`,
    userName: `${name}@tenant.example`,
    active: true,
    displayName: name,
    emails: [{ primary: true, type: 'work', value: `${name}@mail.example` }],
    meta: { resourceType: 'User' },
    name: { formatted: name, familyName: 'Lee', givenName: name },
    title: 'Potter',
    ...more,
  })
  const boss = (await entra.post(user('boss'))).body
  const made = await entra.ask('POST', '/Users', user('mia'), {
    'content-type': 'application/scim+json; charset=utf-8',
  })
  t.match(made, { status: 201, body: { userName: 'mia@tenant.example', emails: [{ value: 'mia@mail.example' }] } })
  const { id } = made.body
  t.match(await entra.find('externalId eq mia-object and userName eq "mia@tenant.example"'), {
    body: { totalResults: 1 },
  })
  const managed = await entra.patch(id, { op: 'Add', path: `${ENTERPRISE}:manager`, value: boss.id })
  t.match(managed.body[ENTERPRISE], { manager: { value: boss.id } })
  t.match(await entra.patch(id, { op: 'Add', path: `${ENTERPRISE}:manager`, value: 'gone' }), {
    status: 200,
    body: { [ENTERPRISE]: { manager: { value: boss.id } } },
  })
  const flags = { 'name.givenName': 'Maria', [`${ENTERPRISE}:employeeNumber`]: '701' }
  const named = await entra.ask('PATCH', `/Users/${id}`, {
    schemas: [PATCH_OP],
    operations: [{ op: 'replace', value: flags }],
  })
  t.match(named, { body: { name: { givenName: 'Maria', familyName: 'Lee' }, [ENTERPRISE]: { employeeNumber: '701' } } })
  t.match(await entra.patch(id, { op: 'Replace', path: 'active', value: 'False' }), { body: { active: false } })
  t.match(await entra.get(id), { status: 200, body: { active: false } }, 'who is disabled is still shown')
  t.equal((await entra.remove(id)).status, 204)
  t.equal((await entra.get(id)).status, 404)
  t.equal((await entra.remove(id)).status, 404)
  t.match(await entra.find('userName eq "mia@tenant.example"'), { body: { totalResults: 0 } })
  const shown = await service.call('GET', `/v1/employees/${id}`)
  t.match(shown.body, { status: 'inactive', deprovisioned_at: /^\d{4}-/ }, 'the public API still shows them')
  t.match(await entra.post(user('mia')), { status: 201, body: { id, active: true } }, 'a rehire has the same id')
  t.equal((await service.call('GET', `/v1/employees/${id}`)).body.deprovisioned_at, null)

  t.strictSame(await listEntries(entra.key.id), [
    ['SCIM Completed create 201', '', ''],
    ['SCIM Completed create 201', '', ''],
    ['SCIM Completed update_one 200', 'updated', ''],
    ['SCIM Completed update_one 200', 'no_updates', 'manager manager_not_found'],
    ['SCIM Completed update_one 200', 'updated', ''],
    ['SCIM Completed update_one 200', 'deactivated', ''],
    ['SCIM Completed update_one 204', 'deactivated', ''],
    ['SCIM Failed update_one 404', 'failed', ''],
    ['SCIM Completed upsert 201', 'updated', ''],
  ])
})

await t.test('a deleted person who comes back inactive is shown again', async (t) => {
  const ping = await connectProvider(service, 'Ping')
  const { id } = (await ping.post({ userName: 'hidden' })).body
  await ping.remove(id)
  t.match(await ping.post({ userName: 'HIDDEN', active: false }), { status: 201, body: { id, active: false } })
  t.match(await ping.get(id), { status: 200, body: { userName: 'HIDDEN', active: false } })
})
