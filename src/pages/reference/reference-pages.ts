import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { problem } from '#domain/errors'
import { formatCount } from '#wording/numbers'
import { addVary } from '#http/server/compression'
import { trimBlanks } from '#text/normalize-text'
import { html, type Html, renderCode } from '#pages/parts/elements'
import { assetUrl } from '#pages/assets/assets'
import { sendRefusal } from '#pages/parts/error-page'
import { renderBreadcrumb, sendOpenPage } from '#pages/parts/layout'
import { recognizeViewer, type RecognitionServices } from '#pages/parts/context'
import { REFERENCE_PAGES } from '#wording/navigation'
import { type Operation, type OperationGroup, listGroups } from './operations.ts'
import { makeHeadingId, renderCopied, renderMarkdown } from './render-markdown.ts'
import { describeOperation, listShown, writeIndex, writeOperation, type Shown } from './write-markdown.ts'

const [DOCS] = REFERENCE_PAGES
const READING = { links: /^[/#]/, isFolded: true }
const MAX_WORDS = 8
const SEARCH = 'Search the API reference'

/** Finds the operations that have all words of a search in their name, path, texts, or fields. */
function findOperations(groups: OperationGroup[], search: string) {
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
function renderSearch(search: string, operations: Operation[]) {
  const found = operations.map(
    ({ id, summary, method, path }) =>
      html`<li><a href="${DOCS.path}/${id}">${summary}</a> ${renderCode(`${method} ${path}`)}</li>`,
  )
  return html`<h1>Search</h1>
    <p role="status">${formatCount(operations.length, 'operation')} for <q>${search.slice(0, 100)}</q></p>
    ${found.length > 0 ? html`<ul>${found}</ul>` : html`<p><a href="${DOCS.path}">All operations</a></p>`}`
}

/** Renders an operation: samples, and beside them what it takes and answers. */
function renderOperation(text: string, { tag }: Operation, shown: Shown[]) {
  return html`${renderBreadcrumb(DOCS, [{ label: tag, path: `${DOCS.path}#${makeHeadingId(tag)}` }])}
    <div class="operation columns">
      <div class="shows">${shown.map(renderShown)}</div>
      <div>${renderMarkdown(text, READING)}</div>
    </div>`
}

/** Renders a text that opens and closes. Of the samples, one is open. */
function renderShown({ label, language, code, isFirst }: Shown) {
  const group = language === 'json' ? '' : html`name="sample"`
  return html`<details ${group} class="sample" ${isFirst && html`open`}>
    <summary>${label}</summary>
    ${renderCopied(code)}
  </details>`
}

const MARKDOWN = 'text/markdown; charset=utf-8'
const PLAIN = 'text/plain; charset=utf-8'

/**
 * `/docs`: the API reference, made from the OpenAPI document: an index with a search, and a page for each operation. All
 * is Markdown, which has the same address with `.md`, and is rendered. `/llms.txt` leads programs there.
 */
export function referencePages(app: FastifyInstance, services: RecognitionServices) {
  const schema = { hide: true }
  const preHandler = recognizeViewer(services)
  let groups: OperationGroup[] | undefined
  const list = () => (groups ??= listGroups(app.describeApi()))
  const index = () => writeIndex(app.describeApi(), list())

  app.get<{ Querystring: { q?: unknown } }>(DOCS.path, { schema, preHandler }, async ({ query: { q } }, reply) => {
    if (typeof q !== 'string' || trimBlanks(q) === '')
      return answer(reply, DOCS.label, renderContents(list(), '', renderMarkdown(index(), READING)))
    const body = renderContents(list(), '', renderSearch(q, findOperations(list(), q)))
    return sendOpenPage(reply.request, reply, { title: SEARCH, body })
  })
  app.get('/llms.txt', { schema }, (_, reply) => reply.type(PLAIN).send(index()))
  app.get(`${DOCS.path}.md`, { schema }, (_, reply) => reply.type(MARKDOWN).send(index()))
  app.get<{ Params: { id: string } }>(`${DOCS.path}/:id`, { schema, preHandler }, async ({ params }, reply) => {
    const [name, form] = params.id.split('.')
    const operation = list()
      .flatMap(({ operations }) => operations)
      .find(({ id }) => id === name)
    if (operation && form === 'md') return reply.type(MARKDOWN).send(writeOperation(app.describeApi(), operation))
    if (!operation || form !== undefined)
      return sendRefusal(reply, problem('route_not_found', 'The API has no such operation'))
    const page = renderOperation(describeOperation(app.describeApi(), operation), operation, listShown(operation))
    return answer(reply, operation.summary, renderContents(list(), operation.id, page))
  })
}

/** Sends a page that is the same for everybody, unless the browser has it (RFC 9110 section 8.8.3). */
async function answer(reply: FastifyReply, title: string, body: Html) {
  const { request } = reply
  addVary(reply, 'cookie')
  // With the navigation of who is signed in, no cache may keep it.
  if (request.viewer) return sendOpenPage(request, reply, { title, body })
  // The page names the style sheet and the scripts, whose addresses change with them.
  const version = hash('sha256', `${assetUrl('style.css')}\n${String(await body)}`)
  const tag = `"${version.slice(0, 32)}"`
  void reply.headers({ etag: tag, 'cache-control': 'no-cache' })
  if (request.headers['if-none-match'] === tag) return reply.code(304).send()
  return sendOpenPage(request, reply, { title, body })
}

function renderContents(groups: OperationGroup[], current: string, content: Html) {
  const renderPlace = (path: string, label: string, isHere: boolean) =>
    html`<a href="${path}" ${isHere && html`aria-current="page"`}>${label}</a>`
  const renderOne = ({ id, summary }: Operation) =>
    html`<li>${renderPlace(`${DOCS.path}/${id}`, summary, id === current)}</li>`
  return html`<form role="search" action="${DOCS.path}" class="tools">
      <input type="search" name="q" maxlength="100" aria-label="${SEARCH}" placeholder="${SEARCH}" />
      <button>Search</button>
    </form>
    <div class="reference">
      <nav aria-label="API reference">
        <div class="places">${renderPlace(DOCS.path, DOCS.label, current === '')}</div>
        ${groups.map(
          ({ name, operations }) =>
            html`<details ${operations.some(({ id }) => id === current) && html`open`}>
              <summary>${name}</summary>
              <ul class="places">
                ${operations.map(renderOne)}
              </ul>
            </details>`,
        )}
      </nav>
      <div class="reference-content">${content}</div>
    </div>`
}
