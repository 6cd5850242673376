import { addVary } from '#http/server/compression'
import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { problem } from '#domain/errors'
import { assetUrl } from '../assets/assets.ts'
import { sendRefusal } from '../parts/error-page.ts'
import { html, type Html } from '../parts/html.ts'
import { sendOpenPage } from '../parts/layout.ts'
import { recognizeViewer, type RecognitionServices } from '../parts/viewer.ts'
import { listGroups, type OperationGroup } from './operations.ts'
import { findOperations, renderIndex, renderSearch } from './render-index.ts'
import { OPERATION_PATH, renderOperation } from './render-operation.ts'
import { trimBlanks } from '#text/normalize-text'
import { writeIndex, writeOperation } from './write-markdown.ts'

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
async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  page: { title: string; body: Html },
): Promise<FastifyReply> {
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

function renderContents(groups: OperationGroup[], current: string, content: Html): Html {
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
