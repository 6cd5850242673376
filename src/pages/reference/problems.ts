import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { problem } from '#domain/errors'
import { acceptsPages } from '#http/server/media-types'
import { addVary } from '#http/server/compression'
import { sendRefusal } from '#pages/parts/error-page'
import { html, renderTable, type Columns, renderCode, renderMarked } from '#pages/parts/elements'
import { renderBreadcrumb, sendOpenPage } from '#pages/parts/layout'
import { REFERENCE_PAGES } from '#wording/navigation'
import { recognizeViewer, type RecognitionServices } from '#pages/parts/context'
import { RECORD_ERROR_TEXTS } from './record-error-texts.ts'
import { PROBLEM_CODES, PROBLEM_TEXTS } from './problem-texts.ts'

const [, PROBLEMS] = REFERENCE_PAGES

const ENTRIES = {
  yes: 'Yes, if the call creates or updates employees, unless it only validates them.',
  no: 'No.',
  'of the first call': 'No. The first call with the same key has one.',
} as const

/** `/problems/{code}`: documents the `type` of a problem, as a page or as JSON; `/problems` lists all. */
export function problemPages(app: FastifyInstance, services: RecognitionServices) {
  const schema = { hide: true }
  const preHandler = recognizeViewer(services)
  app.get('/problems', { schema, preHandler }, (request, reply) =>
    wantsJson(request, reply)
      ? reply.send({ items: [...PROBLEMS_OF_CALLS, ...ERRORS_OF_RECORDS] })
      : sendOpenPage(request, reply, { title: PROBLEMS.label, body: renderProblemList() }),
  )
  app.get<{ Params: { code: string } }>('/problems/:code', { schema, preHandler }, (request, reply) => {
    const described = BY_CODE.get(request.params.code)
    if (!described) return sendRefusal(reply, problem('route_not_found', 'No problem has this code'))
    return wantsJson(request, reply)
      ? reply.send(described)
      : sendOpenPage(request, reply, { title: described.title, body: renderDescribed(described) })
  })
}

const PROBLEMS_OF_CALLS = PROBLEM_CODES.map((code) => {
  const { status, title } = problem(code, '')
  const { when, remedy, entry = 'no' } = PROBLEM_TEXTS[code]
  return { type: `/problems/${code}`, code, status, title, when, remedy, log_entry: ENTRIES[entry] }
})

/** The codes of records' errors, with the problem of a call that has such a record. */
const ERRORS_OF_RECORDS = Object.entries(RECORD_ERROR_TEXTS).map(([code, text]) => {
  return { code, ...text, problem: '/problems/validation_failed', log_entry: ENTRIES.yes }
})

type Described = (typeof PROBLEMS_OF_CALLS | typeof ERRORS_OF_RECORDS)[number]
const BY_CODE = new Map([...PROBLEMS_OF_CALLS, ...ERRORS_OF_RECORDS].map((one): [string, Described] => [one.code, one]))

/** Whether the client asks for JSON. The default headers of browsers and curl get the page. */
function wantsJson(request: FastifyRequest, reply: FastifyReply) {
  addVary(reply, 'accept')
  return /\bapplication\/(?:problem\+)?json\b/i.test(request.headers.accept ?? '') && !acceptsPages(request)
}

function renderDescribed(described: Described) {
  const { code, title, when, remedy, log_entry: entry } = described
  const status = 'status' in described ? described.status : null
  return html`
    ${renderBreadcrumb(PROBLEMS)}
    <p><code>${status !== null && `${status} `}${code}</code></p>
    <h1>${title}</h1>
    ${
      status === null &&
      html`<p>
            An error of one record of a call. The answer of the call has the status of
            <a href="/problems/validation_failed"><code>422 validation_failed</code></a
            >, and nothing was applied.
          </p>`
    }
    <h2>When it happens</h2>
    <p>${renderMarked(when)}</p>
    <h2>What to do</h2>
    <p>${renderMarked(remedy)}</p>
    ${
      status !== null &&
      html`<h2>Entry in Bulk User Logs</h2>
            <p>${entry}</p>`
    }
  `
}

const CODE_AND_MEANING: Columns<{ code: string; title: string }> = {
  Code: { isName: true, cell: ({ code }) => html`<a href="/problems/${code}">${renderCode(code)}</a>` },
  Meaning: ({ title }) => title,
}

function renderProblemList() {
  return html`
    <h1>${PROBLEMS.label}</h1>
    <p>What a refused call answers. Open a code to see when it happens, and what to do.</p>
    ${renderTable({
      caption: 'Problems by HTTP status',
      columns: {
        Status: ({ status }) => html`<span class="unbroken">${status}</span>`,
        ...CODE_AND_MEANING,
      },
      rows: PROBLEMS_OF_CALLS.toSorted((a, b) => a.status - b.status),
    })}
    <h2 id="records">Errors of records</h2>
    ${renderTable({ caption: 'Errors of records', columns: CODE_AND_MEANING, rows: ERRORS_OF_RECORDS })}
  `
}
