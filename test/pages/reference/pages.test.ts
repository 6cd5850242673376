import t from 'tap'
import type { OpenApiDocument } from '../../../src/http/openapi/build-document.ts'
import { operationsOf } from '../../support/http/api-document.ts'
import { browse } from '../../support/http/sessions.ts'
import { send, startService } from '../../support/service.ts'

/* The API reference: pages that are made from the OpenAPI document. */

const service = await startService(t)
const document: OpenApiDocument = (await service.call('GET', '/openapi.json')).body
const calls = operationsOf(document)
const messages = Object.values(document.webhooks).map((methods) => Object.values(methods)[0] as { operationId: string })

async function open(path: string) {
  const answer = await browse(service, path, { cookie: null })
  const words = answer.text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')
  return { ...answer, words }
}

const index = await open('/docs')

await t.test('every operation has a page with its samples, parameters, answers, and problem codes', async (t) => {
  t.ok(calls.length > 50)
  for (const { path, method, operation } of calls) {
    const { operationId: id } = operation
    t.match(index.text, `<a href="/docs/${id}">`, `${id} is listed`)
    const { status, text, words } = await open(`/docs/${id}`)
    t.equal(status, 200, id)
    for (const language of ['curl', 'TypeScript', 'Python']) t.match(text, `<summary>${language}</summary>`, id)
    t.match(words, `${method.toUpperCase()} ${path}`)
    for (const answer of Object.keys(operation.responses)) t.match(words, ` ${answer} `, `${id} answers ${answer}`)
    t.match(text, '<a href="/problems/unavailable">')
  }
})

await t.test('every page is also Markdown, and llms.txt leads to all of them', async (t) => {
  const list = await send(service.address, 'GET', '/llms.txt', { key: null })
  t.match(list.headers['content-type'], /^text\/plain/)
  for (const { path, method, operation } of calls) {
    t.match(list.body, `(/docs/${operation.operationId}.md): \`${method.toUpperCase()} ${path}\``)
    const page = await send(service.address, 'GET', `/docs/${operation.operationId}.md`, { key: null })
    t.match([page.status, page.headers['content-type']], [200, /^text\/markdown/])
    for (const part of ['\n## Answer 20', '\n```sh\ncurl ', '\n```python\n', '(/problems/unavailable)'])
      t.match(page.body, part, `${operation.operationId}: ${part}`)
  }
  t.equal((await open('/docs/createEmployees.pdf')).status, 404)
})

await t.test('calls are in the order in which one learns them', async (t) => {
  const order = ['createEmployees', 'readEmployee', 'listEmployees', 'updateEmployee', 'updateEmployees']
  const places = order.map((id) => index.text.indexOf(`"/docs/${id}"`))
  t.strictSame(
    places,
    places.toSorted((one, other) => one - other),
  )
})

await t.test('every message has a page with its members and an example', async (t) => {
  for (const { operationId: id } of messages) {
    t.match(index.text, `<a href="/docs/${id}">`)
    t.match(await open(`/docs/${id}`), { status: 200, words: /webhook-signature.*timestamp/ }, id)
  }
})

await t.test('the first answer of a creation is that of a creation, not that of a validation', async (t) => {
  const { text } = await open('/docs/createEmployees')
  const examples = [...text.matchAll(/<summary>Answer (\d+)/g)].map(([, status]) => status)
  t.strictSame(examples, ['201', '200'])
  t.match(text.slice(text.indexOf('Answer 201')), 'log_01')
})

await t.test('members of members are listed, and a schema that contains itself ends', async (t) => {
  const { words } = await open('/docs/createEmployees')
  t.match(words, /Members of employees .* first_name string or null .*at most 80 characters/i)
  t.match(words, /custom_attributes/)
})

await t.test('a search finds operations by all of its words', async (t) => {
  const { words, text } = await open('/docs?q=rotate+SECRET')
  t.match(words, /3 operations for rotate SECRET/)
  t.match(text, '<a href="/docs/rotateApiKey">')
  t.match((await open('/docs?q=idempotency-key')).text, '<a href="/docs/createEmployees">', 'by a parameter')
  const nothing = await open(`/docs?q=${encodeURIComponent('<b>&"')}`)
  t.match(nothing, { status: 200, words: /0 operations/ })
  t.notMatch(nothing.text, '<b>')
  t.equal((await open('/docs?q=%20')).text, index.text)
})

await t.test('an operation that does not exist is not found', async (t) => {
  t.equal((await open('/docs/nothing')).status, 404)
})

await t.test('a browser that has a page gets 304', async (t) => {
  for (const path of ['/docs', '/docs/createEmployees']) {
    const { headers } = await open(path)
    t.equal(headers['cache-control'], 'no-cache')
    const again = await send(service.address, 'GET', path, { headers: { 'if-none-match': headers['etag']! } })
    t.match(again, { status: 304, body: '' })
  }
  const tags = await Promise.all(['/docs', '/docs/verifyKey'].map(async (path) => (await open(path)).headers['etag']))
  t.not(tags[0], tags[1])
})

await t.test('a page, with all that it loads, has at most 400 kB, and comes from the service', async (t) => {
  for (const path of ['/docs', ...calls.map(({ operation }) => `/docs/${operation.operationId}`)]) {
    const { text } = await open(path)
    const loaded = [...text.matchAll(/<(?:script|link|img)[^>]*(?:src|href)="([^"]+)"/g)].map(([, source]) => source!)
    const sizes = await Promise.all(loaded.map(async (source) => (await open(source)).text.length))
    t.ok(loaded.every((source) => source.startsWith('/assets/')))
    t.ok(sizes.reduce((sum, size) => sum + size, text.length) <= 400_000, path)
  }
})
