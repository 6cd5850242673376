import { Type } from '@sinclair/typebox'
import addFormats from 'ajv-formats'
import { Ajv2020 } from 'ajv/dist/2020.js'
import Fastify from 'fastify'
import { ATTRIBUTE_NAMES, ATTRIBUTE_RULES, readAttribute } from '../../../src/domain/attributes.ts'
import { type OpenApiDocument, NamedSchemas } from '../../../src/http/openapi/build-document.ts'
import { documentRoutes } from '../../../src/http/openapi/document-routes.ts'
import { jsonAnswer } from '../../../src/http/openapi/schema-parts.ts'
import { attributeSchema } from '../../../src/http/openapi/employee-schemas.ts'
import t from 'tap'
import { answerOf, operationsOf } from '../../support/http/api-document.ts'
import { startService } from '../../support/service.ts'

const service = await startService(t)
const served = await service.call('GET', '/openapi.json', { key: null })
const document: OpenApiDocument = served.body

/** Routes outside the documented API. */
const NOT_DESCRIBED =
  /^\/(?:(?:livez|readyz|openapi\.json|docs|problems|metrics|assets|sign-in|sign-out|invitation|settings|account)(?:\/|$)|$)/

await t.test('openapi.json needs no key and is OpenAPI 3.1', async (t) => {
  t.equal(served.status, 200)
  t.equal(served.headers['content-type'], 'application/json; charset=utf-8')
  t.equal(document.openapi, '3.1.0')
})

await t.test('every API route is described, with its own id and summary', async (t) => {
  const undescribed = service.app.registeredRoutes.filter(({ schema, url }) => {
    return schema.operationId === undefined && schema.hide !== true && !NOT_DESCRIBED.test(url)
  })
  t.strictSame(
    undescribed.map(({ method, url }) => `${method} ${url}`),
    [],
  )
  const operations = operationsOf(document).map(({ operation }) => operation)
  t.equal(new Set(operations.map(({ operationId }) => operationId)).size, operations.length)
  t.ok(operations.every((operation) => typeof operation['summary'] === 'string'))
  const ours = ['createEmployees', 'listEmployees', 'readEmployee', 'updateEmployee', 'updateEmployees', 'verifyKey']
  t.strictSame(
    operations
      .map(({ operationId }) => operationId)
      .filter((id) => ours.includes(id))
      .toSorted(),
    ours,
  )
})

await t.test('every tag of an operation is explained', async (t) => {
  const explained = (document['tags'] as { name: string }[]).map(({ name }) => name)
  const used = operationsOf(document).flatMap(({ operation }) => operation['tags'] as string[])
  t.strictSame(
    [...new Set(used)].filter((tag) => !explained.includes(tag)),
    [],
  )
})

await t.test('the named schemas exist', async (t) => {
  const names = [
    'Employee',
    'EmployeeCreate',
    'EmployeePatch',
    'EmployeeBulkPatch',
    'Problem',
    'RecordError',
    'BulkUserLogEntry',
  ]
  for (const name of names) t.ok(document.components.schemas[name], name)
  t.strictSame(Object.keys(document.components['securitySchemes']!), ['apiId', 'apiKey', 'bearer', 'session'])
})

// What public generators make of the document is tested in generated-clients.long.test.ts.
await t.test('no property has a default in its schema: its description tells it', async (t) => {
  const withDefault: string[] = []
  JSON.stringify(document, (key, value: Record<string, object> | undefined) => {
    if (key === 'properties')
      for (const name of Object.keys(value!)) if ('default' in value![name]!) withDefault.push(name)
    return value
  })
  t.strictSame(withDefault, [])
  t.match(document.components.schemas['EmployeeCreate'], {
    properties: { status: { description: 'Default: `"active"`.' } },
  })
})

await t.test('no list of values has null, for which not every generator makes code that compiles', async (t) => {
  const withNull: unknown[] = []
  JSON.stringify(document, (key, value: unknown) => {
    if (key === 'enum' && Array.isArray(value) && value.includes(null)) withNull.push(value)
    return value
  })
  t.strictSame(withNull, [])
})

await t.test('an answer without a body has the headers of its route', async (t) => {
  const unchanged = answerOf(document, document.paths['/v1/employees/{id}']!['get'], '304')
  t.ok(Object.keys(unchanged!.headers ?? {}).includes('ETag'))
})

await t.test('a creation and its validation are answered in the same form', async (t) => {
  const operation = document.paths['/v1/employees']!['post']!
  const [validated, created] = ['200', '201'].map((status) => answerOf(document, operation, status))
  t.strictSame(validated!.content!['application/json']!.schema, created!.content!['application/json']!.schema)
})

await t.test('bodies that are not JSON are text, or an archive', async (t) => {
  const ofTexts = operationsOf(document).flatMap(({ operation }) =>
    Object.entries(answerOf(document, operation, '200')?.content ?? {}).filter(([type]) => !/[/+]json$/.test(type)),
  )
  t.strictSame([...new Set(ofTexts.map(([type]) => type))].toSorted(), [
    // A workbook is an archive, too.
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    'application/x-ndjson',
    'application/zip',
    'text/csv',
    'text/event-stream',
    'text/html',
  ])
  for (const [type, { schema }] of ofTexts) t.match(schema, { type: 'string' }, type)
})

await t.test('the public API requires both headers of a key, the admin endpoint a token', async (t) => {
  for (const { path, operation } of operationsOf(document)) {
    if (path.startsWith('/v1/')) t.strictSame(operation.security, [{ apiId: [], apiKey: [] }], path)
    // A token issues no tokens.
    else if (operation.operationId === 'issueToken') t.strictSame(operation.security, [{ session: [] }])
    else if (operation.security.length > 0) t.strictSame(operation.security, [{ bearer: [] }], path)
  }
  const open = operationsOf(document)
    .filter(({ operation }) => operation.security.length === 0)
    .map(({ path }) => path)
  t.strictSame(open, ['/admin/v1/invitations/accept'])
})

await t.test("an answer's bytes do not depend on its schema", async (t) => {
  const app = Fastify()
  documentRoutes(app)
  const answer = { id: 'x', count: '7', more: { nested: [1, null] }, at: 1.5 }
  const forgetful = Type.Object(
    { id: Type.Integer(), count: Type.Integer(), missing: Type.String() },
    { additionalProperties: false },
  )
  app.get('/plain', () => answer)
  app.get<{ Reply: unknown }>('/described', { schema: { response: { 200: forgetful } } }, () => answer)
  app.get('/in-full', { schema: { response: { 200: jsonAnswer('Done.', forgetful) } } }, () => answer)
  app.get<{ Reply: unknown }>('/as-text', { schema: { response: { 200: forgetful } } }, (_, reply) =>
    reply.type('application/json').send(JSON.stringify(answer)),
  )
  const plain = await app.inject('/plain')
  for (const path of ['/described', '/in-full', '/as-text']) t.equal((await app.inject(path)).body, plain.body, path)
  t.equal(plain.body, JSON.stringify(answer))
  await app.close()
})

const SAMPLES: unknown[] = [
  ...['', ' ', 'a', 'x'.repeat(64), 'x'.repeat(65), 'x'.repeat(120), 'x'.repeat(121), 'x'.repeat(128), 'x'.repeat(129)],
  ...[
    'x'.repeat(80),
    'x'.repeat(81),
    '🙂'.repeat(80),
    '🙂'.repeat(128),
    '🙂'.repeat(129),
    `${'a'.repeat(243)}@example.com`,
  ],
  ...['+4930901820', '+1', '+12', '4930901820', '2026-11-20', '2026-02-29', '2024-02-29', '26-1-1', 'active', 'Active'],
  ...[null, 1, true, [], {}, { a: 1 }, { a: null }, { a: 'x'.repeat(1000) }, { a: 'x'.repeat(1001) }, { '': 1 }],
  ...[{ ['k'.repeat(64)]: true }, { ['k'.repeat(65)]: true }, { a: [] }, 'emp_01m7wqmfakeh492yss9pa6yb7t'],
]

const IN_WORDS = new Set(['email', 'phone', 'date'])

await t.test("an attribute's schema accepts what the domain accepts", async (t) => {
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  ajv.addFormat('idn-email', /^[^@\s]+@[^@\s]+\.[^@\s]+$/)
  for (const name of ATTRIBUTE_NAMES) {
    for (const purpose of ['creation', 'patch'] as const) {
      const schemas = new NamedSchemas()
      const validate = ajv.compile({
        ...schemas.refer(attributeSchema(name, purpose)),
        components: { schemas: schemas.components },
      })
      for (const sample of SAMPLES.filter((sample) => isComparable(name, sample))) {
        const isRead = readAttribute(name, sample).errors === undefined
        // In which forms it takes these, a schema says in words.
        if (isRead || !IN_WORDS.has(ATTRIBUTE_RULES[name].kind))
          t.equal(validate(sample), isRead, `${name} ${purpose} ${JSON.stringify(sample)?.slice(0, 40)}`)
      }
    }
  }
})

/** Trimming comes before limits, and whether an id exists depends on state. */
function isComparable(name: keyof typeof ATTRIBUTE_RULES, sample: unknown): boolean {
  const { kind } = ATTRIBUTE_RULES[name]
  if (kind === 'manager') return typeof sample !== 'string' || sample.startsWith('emp_')
  return !(kind === 'text' && sample === ' ')
}
