import { problem } from '#domain/errors'
import type { OpenApiDocument } from '#http/openapi/build-document'
import type { Operation, OperationGroup } from './operations.ts'
import { groupId, OPERATION_PATH, renderAddress } from './render-operation.ts'
import { renderParagraphs, renderText } from './render-text.ts'
import { formatCount } from '#wording/numbers'
import { html, type Html } from '../parts/html.ts'

interface Described {
  info: { title: string; version: string; description: string }
  components: { securitySchemes: Record<string, { type: string; name?: string; description: string }> }
}

/** Renders the first page: how to call the API, and all operations. */
export function renderIndex(document: OpenApiDocument, groups: OperationGroup[]): Html {
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
            <dt><code>${name}</code></dt>
            <dd><p>${renderText(description)}</p></dd>
          </div>`,
      )}
    </dl>
    <h2 id="errors">Errors</h2>
    <p>
      A refused call answers with a problem document (RFC 9457), whose <code>code</code> says what happened. Each code has
      a page at <a href="/problems">/problems</a>.
    </p>
    <pre><code>${JSON.stringify(EXAMPLE_PROBLEM, null, 2)}</code></pre>
    <button type="button" data-copy hidden>Copy</button>
    ${groups.map(renderGroup)}`
}

const EXAMPLE_PROBLEM = {
  ...problem('validation_failed', '1 of 1 records is not valid'),
  errors: [{ index: 0, pointer: '/0/email', code: 'invalid_format', message: 'email must be a valid email address' }],
}

function renderGroup({ name, description, operations }: OperationGroup): Html {
  return html`<h2 id="${groupId(name)}">${name}</h2>
    <p>${renderText(description)}</p>
    ${renderList(operations)}`
}

function renderList(operations: Operation[]): Html {
  return html`<ul>
    ${operations.map(
      (operation) =>
        html`<li><a href="${OPERATION_PATH}${operation.id}">${operation.summary}</a> ${renderAddress(operation)}</li>`,
    )}
  </ul>`
}

const MAX_WORDS = 8

/** Finds the operations that have all words of a search in their name, path, texts, or fields. */
export function findOperations(groups: OperationGroup[], search: string): Operation[] {
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
export function renderSearch(search: string, operations: Operation[]): Html {
  return html`<h1>Search</h1>
    <p role="status">
      ${formatCount(operations.length, 'operation')} for <q>${search.slice(0, 100)}</q>
    </p>
    ${operations.length > 0 ? renderList(operations) : html`<p><a href="/docs">All operations</a></p>`}`
}
