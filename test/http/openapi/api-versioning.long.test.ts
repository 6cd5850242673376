import { readFileSync } from 'node:fs'
import t from 'tap'
import { currentDocument } from '../../../docs/openapi/current-document.ts'
import type { OpenApiDocument } from '../../../src/http/openapi/build-document.ts'
import { breakingChanges } from '../../support/http/breaking-changes.ts'

const released = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as OpenApiDocument
const current = await currentDocument()
const EMPLOYEES = '/v1/employees'

/** The values of answers that clients must accept more of, by what docs/versioning.md tells them. */
const MAY_GROW: Record<string, RegExp> = {
  // A webhook only has the types that were chosen for it.
  'a new type of webhook message': /^[A-Z]+ \/admin\/v1\/webhooks.*: 20[01]\..*types?(\[\])?: values$/,
  'a new kind of attention': /^GET \/admin\/v1\/attention: 200\.items\[\]\.kind: values$/,
  // Also how it is read.
  'a new attribute that a column of a file can become':
    /^[A-Z]+ \/admin\/v1\/uploads.*: 20[0-2]\..*columns\[\]\.(?:to|names|calendar|likely): /,
  'a new question about a file':
    /^[A-Z]+ \/admin\/v1\/uploads.*: 20[0-2]\..*questions\[\]\.(?:about|(?:others\[\]\.)?likely): values$/,
  'a new reason why rows are left out': /^[A-Z]+ \/admin\/v1\/uploads.*: 20[0-2]\..*left_out\[\]\.reason: values$/,
  // A key only has the scopes and the fields that it was given.
  'a new scope for API keys': /^[A-Z]+ \/admin\/v1\/(?:api-keys|secrets).*: 20[01]\..*\bscopes\[\]: values$/,
  'a new attribute that API keys may write':
    /^[A-Z]+ \/admin\/v1\/(?:api-keys|secrets).*: 20[01]\..*\bwritable_fields\[\]: values$/,
  'a new operation in the entries':
    /^GET \/admin\/v1\/(?:bulk-user-logs(?:\/\{log_id\})?|usage): 200\.(?:.*\.)?operation: values$/,
}

function brokenPromises(older: OpenApiDocument, newer: OpenApiDocument): string[] {
  const allowed = Object.values(MAY_GROW)
  return breakingChanges(older, newer).filter((change) => !allowed.some((pattern) => pattern.test(change)))
}

await t.test('docs/versioning.md names the values that may grow', (t) => {
  const page = readFileSync('docs/versioning.md', 'utf8').replaceAll(/\s+/g, ' ')
  for (const words of Object.keys(MAY_GROW)) t.match(page, words)
  t.end()
})

await t.test('nothing the last release promised is broken: docs/versioning.md', async (t) => {
  t.strictSame(brokenPromises(released, current), [])
})

// Made-up changes reach into the document wherever they like.
// oxlint-disable-next-line typescript/no-explicit-any
type Loose = any

const BREAKING: Record<string, (document: Loose) => void> = {
  'a path is gone': ({ paths }) => delete paths[EMPLOYEES],
  'an operation is gone': ({ paths }) => delete paths[EMPLOYEES].patch,
  'an operation has another id': ({ paths }) => (paths[EMPLOYEES].get.operationId = 'employees'),
  'other credentials are needed': ({ paths }) => (paths[EMPLOYEES].get.security = [{ bearer: [] }]),
  'an answer is gone': ({ paths }) => delete paths[EMPLOYEES].post.responses['200'],
  'a media type of an answer is gone': ({ paths }) =>
    (paths[EMPLOYEES].post.responses['201'].content = { 'text/csv': {} }),
  'a header of an answer is gone': ({ paths }) => delete paths[EMPLOYEES].post.responses['201'].headers.Location,
  'a field of an answer is gone': ({ components }) => delete components.schemas.Employee.properties.phone,
  'a field of an answer may be absent': ({ components }) => components.schemas.Employee.required.pop(),
  'a field of an answer may be null': ({ components }) =>
    (components.schemas.Employee.properties.version.type = ['integer', 'null']),
  'a field of an answer has another type': ({ components }) =>
    (components.schemas.Employee.properties.version.type = 'string'),
  'a field of an answer may be longer': ({ components }) =>
    (components.schemas.Employee.properties.job_title.maxLength = 500),
  'a field of an answer has another format': ({ components }) => (components.schemas.EmployeeId.pattern = '.'),
  'an answer has one more result': ({ components }) => components.schemas.RecordResult.enum.push('merged'),
  'a field of an answer that is one of several may be something else': ({ paths }) => {
    const { schema } = paths['/admin/v1/secrets/find'].post.responses['200'].content['application/json']
    schema.properties.items.items.properties.api_key.anyOf.push({ type: 'string' })
  },
  'a query parameter is gone': ({ paths }) => paths[EMPLOYEES].get.parameters.pop(),
  'a new query parameter is required': ({ paths }) =>
    paths[EMPLOYEES].get.parameters.push({ name: 'new', in: 'query', required: true, schema: {} }),
  'a query parameter becomes required': ({ paths }) => (paths[EMPLOYEES].get.parameters[1].required = true),
  'a query parameter allows less': ({ paths }) => (paths[EMPLOYEES].get.parameters[0].schema.maximum = 100),
  'a request header is gone': ({ paths }) => paths[EMPLOYEES].post.parameters.pop(),
  'a request header is narrower': ({ components }) => (components.parameters.IdempotencyKey.schema.maxLength = 64),
  'a media type of a body is gone': ({ paths }) =>
    delete paths[EMPLOYEES].patch.requestBody.content['application/merge-patch+json'],
  'a form of a body is gone': ({ paths }) =>
    paths[EMPLOYEES].post.requestBody.content['application/json'].schema.anyOf.pop(),
  'a batch may be smaller': ({ paths }) =>
    (paths[EMPLOYEES].post.requestBody.content['application/json'].schema.anyOf[1].maxItems = 10),
  'a new field of a request is required': ({ components }) => (components.schemas.EmployeeCreate.required = ['phone']),
  'a field of a request is gone': ({ components }) => delete components.schemas.EmployeePatch.properties.phone,
  'a field of a request may be less long': ({ components }) =>
    (components.schemas.EmployeeCreate.properties.job_title.maxLength = 60),
  'a field of a request may not be null': ({ components }) =>
    (components.schemas.EmployeePatch.properties.job_title.type = 'string'),
  'a field of a request has fewer values': ({ components }) =>
    components.schemas.EmployeePatch.properties.status.enum.pop(),
}

/** The paths that these changes reach: comparing all others again and again takes long. */
const REACHED = [EMPLOYEES, `${EMPLOYEES}/{id}`, '/admin/v1/secrets/find']
const reached = Object.entries(current.paths).filter(([path]) => REACHED.includes(path))
const few = { ...current, paths: Object.fromEntries(reached) }

for (const [name, change] of Object.entries(BREAKING)) {
  await t.test(`it is detected when ${name}`, async (t) => t.ok(brokenPromises(few, changed(change, few)).length > 0))
}

const ADDITIONS: Record<string, (document: Loose) => void> = {
  'a new path': ({ paths }) => (paths['/v1/new'] = paths[EMPLOYEES]),
  'a new operation': ({ paths }) => (paths[EMPLOYEES].delete = paths[EMPLOYEES].get),
  'a new field of answers': ({ components }) => {
    components.schemas.Employee.properties.nickname = { type: 'string' }
    components.schemas.Employee.required.push('nickname')
  },
  'a new optional field in a request': ({ components }) =>
    (components.schemas.EmployeeCreate.properties.nickname = { type: 'string' }),
  'a new query parameter': ({ paths }) =>
    paths[EMPLOYEES].get.parameters.push({ name: 'new', in: 'query', required: false, schema: {} }),
  'a wider limit of a request': ({ components }) =>
    (components.schemas.EmployeeCreate.properties.job_title.maxLength = 500),
  'one more form of a body': ({ paths }) =>
    paths[EMPLOYEES].patch.requestBody.content['application/json'].schema.anyOf.push({ type: 'null' }),
  'a new media type of a body': ({ paths }) => (paths[EMPLOYEES].post.requestBody.content['text/csv'] = {}),
  'a new status': ({ paths }) => (paths[EMPLOYEES].get.responses['410'] = { description: 'gone' }),
  'a new header of an answer': ({ paths }) => (paths[EMPLOYEES].get.responses['200'].headers['X-New'] = {}),
  'a new problem code': ({ components }) => {
    for (const { content } of Object.values<Loose>(components.responses)) {
      content['application/problem+json'].schema.allOf[1].properties.code.enum.push('new_code')
    }
  },
  'a new kind of attention': (document) => addValue(document, 'projection_parked', 'key_idle'),
  'a new type of webhook message': (document) => addValue(document, 'employee.created', 'employee.moved'),
  'a new attribute that a column can become': (document) => addValue(document, 'job_title', 'shoe_size'),
  'a new scope of a key': (document) => addValue(document, 'employees:read', 'employees:erase'),
  'a new operation in the entries': (document) => addValue(document, 'undo', 'merge'),
  'other words': ({ components }) => (components.schemas.Employee.description = 'Somebody.'),
}

for (const [name, change] of Object.entries(ADDITIONS)) {
  await t.test(`${name} breaks nothing`, async (t) => t.strictSame(brokenPromises(current, changed(change)), []))
}

/** Adds a value to the lists of values that have another one. */
function addValue(document: Loose, beside: string, value: string): void {
  if (typeof document !== 'object' || document === null) return
  if (Array.isArray(document.enum) && document.enum.includes(beside)) document.enum.push(value)
  for (const part of Object.values(document)) addValue(part, beside, value)
}

function changed(change: (document: Loose) => void, document = current): OpenApiDocument {
  const copy = structuredClone(document)
  change(copy)
  return copy
}
