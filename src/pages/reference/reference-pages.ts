import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { problem } from '#domain/errors'
import type { OpenApiDocument } from '#http/openapi/build-document'
import { formatCount } from '#wording/numbers'
import { addVary } from '#http/server/compression'
import { trimBlanks } from '#text/normalize-text'
import { html, type Html, renderCode } from '#pages/parts/elements'
import { assetUrl } from '#pages/assets/assets'
import { sendRefusal } from '#pages/parts/error-page'
import { sendOpenPage } from '#pages/parts/layout'
import { recognizeViewer, type RecognitionServices } from '#pages/parts/context'
import { type Operation, type OperationGroup, listGroups } from './operations.ts'
import {
  groupId,
  OPERATION_PATH,
  renderAddress,
  renderParagraphs,
  renderText,
  renderOperation,
} from './render-operation.ts'
import { writeIndex, writeOperation } from './write-markdown.ts'

interface Described {
  info: { title: string; version: string; description: string }
  components: { securitySchemes: Record<string, { type: string; name?: string; description: string }> }
}

/** Renders the first page: how to call the API, and all operations. */
function renderIndex(document: OpenApiDocument, groups: OperationGroup[]) {
  const { info, components } = document as unknown as Described
  return html`<h1>API reference</h1>
    ${renderParagraphs(info.description)}
    <p>
      Version ${info.version} · <a href="/openapi.json">OpenAPI document</a> · <a href="/problems">Problem codes</a> ·
      <a href="/llms.txt">As Markdown</a>
    </p>
    <h2 id="authentication">Authentication</h2>
    <p>
      Calls below <code>/v1</code> need the id and the secret of an API key. The others need the token of a user, and the
      call that issues a token needs a session. The samples take them from the environment:
    </p>
    <pre><code>export API_URL=https://ledger.example.com
export API_ID=key_…
export API_KEY=el_live_…
export API_TOKEN=el_user_…
export SESSION=el_ses_…</code></pre>
    <button type="button" data-copy hidden>Copy</button>
    <dl class="members">
      ${Object.values(components.securitySchemes).map(
        ({ name = 'authorization: Bearer', description }) =>
          html`<div>
            <dt>${renderCode(name)}</dt>
            <dd><p>${renderText(description)}</p></dd>
          </div>`,
      )}
    </dl>
    <h2 id="errors">Errors</h2>
    <p>
      A refused call answers with a problem document (RFC 9457), whose <code>code</code> says what happened. Each code has
      a page at <a href="/problems">/problems</a>.
    </p>
    <pre>${renderCode(JSON.stringify(EXAMPLE_PROBLEM, null, 2))}</pre>
    <button type="button" data-copy hidden>Copy</button>
    ${groups.map(renderGroup)}`
}

const EXAMPLE_PROBLEM = {
  ...problem('validation_failed', '1 of 1 records is not valid'),
  errors: [{ index: 0, pointer: '/0/email', code: 'invalid_format', message: 'email must be a valid email address' }],
}

function renderGroup({ name, description, operations }: OperationGroup) {
  return html`<h2 id="${groupId(name)}">${name}</h2>
    <p>${renderText(description)}</p>
    ${renderList(operations)}`
}

function renderList(operations: Operation[]) {
  return html`<ul>
    ${operations.map(
      (operation) =>
        html`<li><a href="${OPERATION_PATH}${operation.id}">${operation.summary}</a> ${renderAddress(operation)}</li>`,
    )}
  </ul>`
}

const MAX_WORDS = 8

/** Finds the operations that have all words of a search in their name, path, texts, or fields. */
function findOperations(groups: OperationGroup[], search: string): Operation[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean).slice(0, MAX_WORDS)
  return groups
    .flatMap(({ operations }) => operations)
    .filter((operation) => {
      const { id, method, path, tag, summary, description, parameters } = operation
      const fields = parameters.flatMap(({ name, description = '' }) => [name, description])
      const text = [id, method, path, tag, summary, description, ...fields].join('\n').toLowerCase()
      return words.every((word) => text.includes(word))
    })
}

/** Renders what a search finds. */
export function renderSearch(search: string, operations: Operation[]) {
  return html`<h1>Search</h1>
    <p role="status">
      ${formatCount(operations.length, 'operation')} for <q>${search.slice(0, 100)}</q>
    </p>
    ${operations.length > 0 ? renderList(operations) : html`<p><a href="/docs">All operations</a></p>`}`
}

const EXTENSION = '.md'
const MARKDOWN = 'text/markdown; charset=utf-8'
const PLAIN = 'text/plain; charset=utf-8'

/**
 * `/docs`: the API reference, made from the OpenAPI document: an index with a search, and a page for
 * each operation, which also is Markdown at the same address with `.md`. `/llms.txt` leads programs there.
 */
export function referencePages(app: FastifyInstance, services: RecognitionServices): void {
  const schema = { hide: true }
  const preHandler = recognizeViewer(services)
  let groups: OperationGroup[] | undefined
  const list = () => (groups ??= listGroups(app.describeApi()))

  app.get<{ Querystring: { q?: unknown } }>('/docs', { schema, preHandler }, async (request, reply) => {
    const { q } = request.query
    if (typeof q === 'string' && trimBlanks(q) !== '') {
      const results = renderSearch(q, findOperations(list(), q))
      const body = renderContents(list(), '', results)
      return sendOpenPage(request, reply, { title: 'Search the API reference', body })
    }
    const body = renderContents(list(), '', renderIndex(app.describeApi(), list()))
    return answer(request, reply, { title: 'API reference', body })
  })
  for (const path of ['/llms.txt', `/docs${EXTENSION}`]) {
    app.get(path, { schema }, (_, reply) => {
      const { info } = app.describeApi() as unknown as { info: { title: string; description: string } }
      return reply.type(path.endsWith(EXTENSION) ? MARKDOWN : PLAIN).send(writeIndex(info, list()))
    })
  }
  app.get<{ Params: { id: string } }>(`${OPERATION_PATH}:id`, { schema, preHandler }, async (request, reply) => {
    const [name, form] = request.params.id.split('.')
    const operation = list()
      .flatMap(({ operations }) => operations)
      .find(({ id }) => id === name)
    if (operation && form === 'md') return reply.type(MARKDOWN).send(writeOperation(app.describeApi(), operation))
    if (!operation || form !== undefined)
      return sendRefusal(reply, problem('route_not_found', 'The API has no such operation'))
    const body = renderContents(list(), operation.id, renderOperation(app.describeApi(), operation))
    return answer(request, reply, { title: operation.summary, body })
  })
}

/** Sends a page that is the same for everybody, unless the browser has it (RFC 9110 section 8.8.3). */
async function answer(request: FastifyRequest, reply: FastifyReply, page: { title: string; body: Html }) {
  addVary(reply, 'cookie')
  // With the navigation of who is signed in, no cache may keep it.
  if (request.viewer) return sendOpenPage(request, reply, page)
  // The page names the style sheet and the scripts, whose addresses change with them.
  const version = hash('sha256', `${assetUrl('style.css')}\n${String(await page.body)}`)
  const tag = `"${version.slice(0, 32)}"`
  void reply.headers({ etag: tag, 'cache-control': 'no-cache' })
  if (request.headers['if-none-match'] === tag) return reply.code(304).send()
  return sendOpenPage(request, reply, page)
}

function renderContents(groups: OperationGroup[], current: string, content: Html) {
  return html`<form role="search" action="/docs" class="tools">
      <input type="search" name="q" maxlength="100" aria-label="Search the API reference" placeholder="Search the reference" />
      <button>Search</button>
    </form>
    <div class="reference">
      <nav aria-label="API reference">
        <div class="places"><a href="/docs" ${current === '' && html`aria-current="page"`}>API reference</a></div>
        ${groups.map(
          ({ name, operations }) =>
            html`<details ${operations.some(({ id }) => id === current) && html`open`}>
              <summary>${name}</summary>
              <ul class="places">
                ${operations.map(({ id, summary }) => {
                  const isHere = id === current ? html`aria-current="page"` : ''
                  return html`<li><a href="${OPERATION_PATH}${id}" ${isHere}>${summary}</a></li>`
                })}
              </ul>
            </details>`,
        )}
      </nav>
      <div class="reference-content">${content}</div>
    </div>`
}
