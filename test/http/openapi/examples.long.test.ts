import t from 'tap'
import { ADMIN_BODIES } from '../../../src/http/openapi/admin-examples.ts'
import type { OpenApiDocument } from '../../../src/http/openapi/build-document.ts'
import { EXAMPLE_EMPLOYEE_ID } from '../../../src/http/openapi/employee-examples.ts'
import { answerChecker, answerOf, compileIn, operationsOf, schemasOf } from '../../support/http/api-document.ts'
import { issueToken } from '../../support/http/sessions.ts'
import { startService } from '../../support/service.ts'

const service = await startService(t)
const document: OpenApiDocument = (await service.call('GET', '/openapi.json')).body
const check = answerChecker(document)
const operations = operationsOf(document).filter(({ path }) => path.startsWith('/v1/'))

/** Create first: the later examples use what the earlier ones make. */
const ORDER = [
  ...['createEmployees', 'verifyKey', 'readEmployee', 'listEmployees'],
  ...['updateEmployee', 'updateEmployees', 'upsertEmployees'],
]
const inOrder = operations.toSorted(
  (a, b) => ORDER.indexOf(a.operation.operationId) - ORDER.indexOf(b.operation.operationId),
)
let anaId = EXAMPLE_EMPLOYEE_ID

/** The example with the real id of the employee created from the first example. */
function withRealId<T>(value: T): T {
  return JSON.parse(JSON.stringify(value).replaceAll(EXAMPLE_EMPLOYEE_ID, anaId)) as T
}

for (const { path, method, operation } of inOrder) {
  await t.test(`every example of ${operation.operationId} works on a real server`, async (t) => {
    const url = path.replace('{id}', anaId)
    const bodies = Object.entries(operation.requestBody?.content ?? {})
    if (bodies.length === 0) {
      const answer = await service.call(method as 'GET', url)
      t.equal(answer.status, 200)
      t.strictSame(check({ path, method }, answer), [])
    }
    for (const [type, { examples }] of bodies) {
      t.ok(Object.keys(examples ?? {}).length > 0, 'has examples')
      for (const [name, { value }] of Object.entries(examples ?? {})) {
        const options = { body: withRealId(value), headers: { 'content-type': type } }
        const asked = await service.call(method as 'PATCH', `${url}?validate_only=true`, options)
        t.equal(asked.status, 200, `${name} as ${type}, validated only: ${JSON.stringify(asked.body)}`)
        t.strictSame(check({ path, method }, asked), [])
        const answer = await service.call(method as 'PATCH', url, options)
        t.equal(answer.status, method === 'POST' ? 201 : 200, `${name} as ${type}`)
        t.strictSame(check({ path, method }, answer), [])
        if (name === 'one') anaId = answer.body.employees[0].id
      }
    }
  })
}

/** Issuing, creating and inviting come first; what needs only a one-time token comes last. */
const ADMIN_ORDER = [
  ...Object.keys(ADMIN_BODIES).filter((id) => /^(?:issue|create|invite)/.test(id)),
  ...Object.keys(ADMIN_BODIES),
]

interface UploadMapping {
  columns: { header: string }[]
}

/** Uploads a file with the columns of a mapping, and returns the id. */
async function uploadCsv({ columns }: UploadMapping, headers: Record<string, string>): Promise<string> {
  const names = columns.map(({ header }) => header).join(',')
  const body = `${names}\n${columns.map(() => 'x').join(',')}\n`
  const request = { method: 'POST', headers: { ...headers, 'content-type': 'text/csv' }, body }
  const answer = await fetch(`${service.address}/admin/v1/uploads?file_name=a.csv`, request)
  return ((await answer.json()) as { id: string }).id
}

await t.test('every example of the admin endpoint works on a real server', async (t) => {
  const withBodies = operationsOf(document).filter(
    ({ path, operation }) => path.startsWith('/admin/') && operation.requestBody,
  )
  const place = ({ operation }: { operation: { operationId: string } }) => ADMIN_ORDER.indexOf(operation.operationId)
  t.strictSame(withBodies.map((one) => one.operation.operationId).toSorted(), Object.keys(ADMIN_BODIES).toSorted())
  const ids = new Map<string, string>()
  let oneTimeToken = ''
  for (const { path, method, operation } of withBodies.toSorted((a, b) => place(a) - place(b))) {
    const [, , , kind = ''] = path.split('/')
    for (const { value } of Object.values(operation.requestBody!.content['application/json']!.examples ?? {})) {
      const text = JSON.stringify(value).replace('{token}', oneTimeToken)
      const body = JSON.parse(text.replace('{password}', service.company.admin.password)) as unknown
      const headers = { authorization: `Bearer ${service.company.admin.token}` }
      if (operation.operationId === 'setUploadMapping') ids.set(kind, await uploadCsv(body as UploadMapping, headers))
      const answer =
        operation.operationId === 'issueToken'
          ? await issueToken(service, service.company.admin, body as object)
          : await service.call(method as 'POST', path.replace('{id}', ids.get(kind) ?? ''), {
              key: null,
              headers,
              body,
            })
      t.ok(answer.status < 300, `${operation.operationId}: ${JSON.stringify(answer.body)}`)
      t.strictSame(check({ path, method }, answer), [])
      if (!path.includes('{')) ids.set(kind, answer.body.id)
      oneTimeToken = answer.body.invitation?.token ?? oneTimeToken
    }
  }
})

await t.test('every parameter of a path has an example', async (t) => {
  const lacking = operationsOf(document).flatMap(({ path, operation }) =>
    ((operation.parameters ?? []) as { in?: string; name: string; example?: string }[])
      .filter((parameter) => parameter.in === 'path' && parameter.example === undefined)
      .map(({ name }) => `${path}: ${name}`),
  )
  t.strictSame(lacking, [])
})

await t.test('a body may be left out exactly where the document says so', async (t) => {
  // A token issues no tokens, whatever the body.
  const withBodies = operationsOf(document).filter(
    ({ operation }) => operation.requestBody && operation.operationId !== 'issueToken',
  )
  t.ok(withBodies.some(({ operation }) => !operation.requestBody!.required))
  for (const { path, method, operation } of withBodies) {
    const isPublic = path.startsWith('/v1/')
    const { status, body } = await service.call(method as 'POST', path.replaceAll(/\{\w+\}/g, anaId), {
      ...(isPublic ? {} : { key: null, headers: { authorization: `Bearer ${service.company.admin.token}` } }),
    })
    const isMissed = status === 400 || status === 422
    t.equal(isMissed, operation.requestBody!.required, `${operation.operationId}: ${JSON.stringify(body)}`)
  }
})

await t.test('every operation has an example of success', async (t) => {
  for (const { operation } of operations) {
    for (const status of Object.keys(operation.responses).filter((status) => status.startsWith('2'))) {
      const examples = answerOf(document, operation, status)?.content?.['application/json']?.examples
      t.ok(examples, `${operation.operationId} ${status}`)
    }
  }
})

await t.test('every example fits its schema', async (t) => {
  const ajv = schemasOf(document)
  for (const { operation } of operationsOf(document)) {
    const answers = Object.keys(operation.responses).map((status) => answerOf(document, operation, status)?.content)
    for (const { schema, examples } of [operation.requestBody?.content, ...answers].flatMap((content) =>
      Object.values(content ?? {}),
    )) {
      const fits = compileIn(ajv, schema ?? {})
      for (const { value } of Object.values(examples ?? {}))
        t.ok(fits(value), `${operation.operationId}: ${JSON.stringify(fits.errors)}`)
    }
  }
})
