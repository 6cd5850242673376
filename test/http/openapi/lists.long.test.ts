import t from 'tap'
import type { OpenApiDocument } from '../../../src/http/openapi/build-document.ts'
import { operationsOf } from '../../support/http/api-document.ts'
import { issueToken } from '../../support/http/sessions.ts'
import { storeDelivery } from '../../support/http/stored-deliveries.ts'
import { employee, send, startService, type Answer } from '../../support/service.ts'

/* The rules that every list of the API follows. The test fails if the OpenAPI document has a list that the table lacks. */

interface List {
  /** Requests the list with a query. */
  get(query: string): Promise<Answer>
  /** Adds an item, if the list can grow while it is read. */
  add?(): Promise<unknown>
  /** The member that identifies an item. Default: `id`. */
  key?: string
}

const service = await startService(t)
const { company } = service
const { admin } = company

const hire = async (more = {}) => {
  const { body } = await service.call('POST', '/v1/employees', { body: employee(more) })
  await service.project()
  return body
}
const employeeId: string = (await hire({ external_id: 'in-the-file' })).employees[0].id
const { body: webhook } = await service.manage('POST', '/webhooks', { url: 'https://example.com/hooks' })
const people = Array.from({ length: 4 }, () => employee())
const { body: call } = await service.call('POST', '/v1/employees', { body: people })
await service.project()

let count = 0
const nextName = () => `${(count += 1)}`
const forAdmin = (path: string, more: Partial<List> = {}): List => ({
  get: (query) => service.admin(`${path}?${query}`),
  ...more,
})

const LISTS: Record<string, List> = {
  '/v1/employees': { get: (query) => service.call('GET', `/v1/employees?${query}`), add: hire },
  '/admin/v1/api-keys': forAdmin('/api-keys', {
    add: () => service.manage('POST', '/api-keys', { name: nextName() }),
  }),
  '/admin/v1/bulk-user-logs': forAdmin('/bulk-user-logs', { add: hire }),
  '/admin/v1/bulk-user-logs/{log_id}/records': forAdmin(`/bulk-user-logs/${call.log_id}/records`, { key: 'index' }),
  '/admin/v1/tokens': {
    get: (query) => service.admin(`/tokens?${query}&user=${admin.user_id}`),
    add: () => issueToken(service, admin, { name: nextName() }),
  },
  '/admin/v1/users': forAdmin('/users', {
    add: () => service.manage('POST', '/users', { name: 'New', email: `${nextName()}@users.example`, role: 'member' }),
  }),
  '/admin/v1/uploads/{id}/missing': forAdmin(`${await uploadOneRow()}/missing`),
  '/admin/v1/webhooks/{id}/deliveries': forAdmin(`/webhooks/${webhook.id}/deliveries`, {
    add: () => storeDelivery(service.pool, company.id, webhook.id),
  }),
  '/audit/v1/employees/{id}/history': {
    get: (query) => service.audit(`/employees/${employeeId}/history?${query}`),
    add: () => service.call('PATCH', `/v1/employees/${employeeId}`, { body: { job_title: nextName() } }),
    key: 'position',
  },
}

const document: OpenApiDocument = (await service.call('GET', '/openapi.json')).body
const documented = operationsOf(document).filter(({ method, operation }) => {
  const names = operation.parameters?.map((parameter) => ('name' in parameter ? parameter.name : ''))
  return method === 'GET' && names?.includes('cursor') && names.includes('limit')
})
t.strictSame(documented.map(({ path }) => path).toSorted(), Object.keys(LISTS).toSorted())

const REFUSED = {
  'limit=0': /limit must be at least 1/,
  'limit=201': /limit must be at most 200/,
  'limit=x': /limit must be an integer/,
  'cursor=x': /cursor/,
  'cursor=MTo': /cursor/,
  'canary=canary': /query parameter does not exist/,
}

for (const [path, { get, add, key = 'id' }] of Object.entries(LISTS)) {
  await t.test(path, async (t) => {
    for (let at = 0; at < 4; at += 1) await add?.()
    const keysOf = ({ body }: Answer): unknown[] => body.items.map((item: Record<string, unknown>) => item[key])
    const whole = await get('limit=200')
    const listed = keysOf(whole)
    t.ok(listed.length >= 4)

    await t.test('its pages have each item once, in order, while others are added', async (t) => {
      const seen: unknown[] = []
      let cursor = ''
      // Each page adds an item.
      for (let pages = 0; pages < 2 * listed.length; pages += 1) {
        const page: Answer = await get(`limit=3${cursor}`)
        t.ok(keysOf(page).length <= 3)
        seen.push(...keysOf(page))
        if (page.body.next_cursor === null) break
        cursor = `&cursor=${page.body.next_cursor}`
        await add?.()
      }
      t.strictSame(
        seen.filter((one) => listed.includes(one)),
        listed,
      )
      t.equal(new Set(seen).size, seen.length)
    })

    await t.test('it ends with a page whose cursor is null', async (t) => {
      t.equal(whole.body.next_cursor, null)
    })

    await t.test('a bad query is refused, and not quoted', async (t) => {
      for (const [query, rule] of Object.entries(REFUSED)) {
        const { status, body } = await get(query)
        t.match([status, body], [400, { code: 'invalid_query', detail: rule }], query)
        t.notMatch(body.detail, /canary|=x|MTo/)
      }
    })
  })
}

async function uploadOneRow(): Promise<string> {
  const headers = { 'content-type': 'text/csv', authorization: `Bearer ${admin.token}` }
  const body = 'external_id,first_name,last_name,email\nin-the-file,Ana,File,file@example.com'
  const path = '/admin/v1/uploads?file_name=staff.csv'
  const { body: upload } = await send(service.address, 'POST', path, { key: null, body, headers })
  await service.manage('PUT', `/uploads/${upload.id}/missing`)
  return `/uploads/${upload.id}`
}
