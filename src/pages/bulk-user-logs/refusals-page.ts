import type { FastifyInstance } from 'fastify'
import { listRefusedCalls, type RefusalFilter, type RefusedCalls } from '#projections/bulk-user-logs/cause-queries'
import { startOfYesterday } from '#domain/attention'
import { isId } from '#domain/ids'
import { DAY_MS, formatLocal, formatTime } from '#domain/local-times'
import { problemError } from '#http/server/problem'
import { readNames } from '#ledger/read/read-names'
import { readRefusalCauses, type RefusedExample, type ShownCause } from '#log/refusal-causes'
import { databaseTimeMs } from '#postgres/database-clock'
import { buildUrl, buildUploadUrl, NAVIGATION, REFUSALS } from '#wording/navigation'
import { describeCode } from '#wording/attention-words'
import { formatNumber } from '#wording/numbers'
import { capitalise } from '#pages/parts/call-words'
import { renderShortValue } from '#pages/parts/attribute-values'
import { pickFields, readFormFields } from '#pages/parts/form'
import {
  html,
  renderChip,
  renderSegments,
  renderTable,
  renderTime,
  isolate,
  renderHint,
  renderNothing,
} from '#pages/parts/elements'
import { renderBreadcrumb, sendUserPage } from '#pages/parts/layout'
import { type PageServices, getViewer } from '#pages/parts/context'

const { path: LOGS_PATH } = NAVIGATION.bulkUserLogs
const MAX_CAUSES = 50

/** Periods up to now, by their value in the address: their label, and their beginning. */
const PERIODS: Readonly<Record<string, { label: string; from(nowMs: number, timeZone: string): number }>> = {
  yesterday: { label: 'Since yesterday', from: startOfYesterday },
  '7d': { label: '7 days', from: (nowMs) => nowMs - 7 * DAY_MS },
  '30d': { label: '30 days', from: (nowMs) => nowMs - 30 * DAY_MS },
}
const [DEFAULT_PERIOD] = Object.keys(PERIODS) as [string]

/** What the address asks for. */
interface Given {
  since: string
  key: string | undefined
}

/** `/settings/bulk-user-logs/refusals`: why records and calls were refused, across calls. */
export function addRefusalsPage(app: FastifyInstance, { reads }: PageServices) {
  app.get(REFUSALS.path, async (request, reply) => {
    const viewer = getViewer(request)
    const { companyId, timeZone } = viewer
    const given = readGiven(request.query)
    const from = new Date(PERIODS[given.since]!.from(databaseTimeMs(), timeZone)).toISOString()
    const filter: RefusalFilter = { from, key: given.key }
    const db = await reads.of(companyId)
    const found = await readRefusalCauses(db, companyId, filter, MAX_CAUSES)
    const calls = await listRefusedCalls(db, companyId, filter, MAX_CAUSES)
    const name = given.key && (await readNames(db, companyId, [given.key])).get(given.key)
    const body = html`${renderBreadcrumb(NAVIGATION.bulkUserLogs)}
      <h1>${REFUSALS.label}</h1>
      ${renderPeriods(given)} ${given.key !== undefined && renderKey(given, name || given.key)}
      ${renderCauses(found.causes, filter, timeZone)}
      ${found.isMore && renderHint('There are further causes, with fewer records.')}
      ${found.isCut && renderHint('Older records of this period were not counted.')}
      ${calls.length !== 0 && renderCalls(calls, filter, timeZone)}`
    return sendUserPage(reply, viewer, { title: REFUSALS.label, body })
  })
}

function readGiven(query: unknown) {
  const { since = DEFAULT_PERIOD, key } = pickFields(readFormFields(query), ['since', 'key'])
  if (!Object.hasOwn(PERIODS, since) || (key !== undefined && !isId('key', key)))
    throw problemError('route_not_found', 'There is no such period or key')
  return { since, key }
}

function renderPeriods({ since, key }: Given) {
  const periods = Object.entries(PERIODS).map(([value, { label }]) => {
    const href = buildUrl(REFUSALS.path, { since: value === DEFAULT_PERIOD ? '' : value, key })
    return { label, href, isChosen: value === since }
  })
  return renderSegments('Period', periods)
}

function renderKey({ since }: Given, name: string) {
  const href = buildUrl(REFUSALS.path, { since: since === DEFAULT_PERIOD ? '' : since })
  return html`<ul class="cluster chips" aria-label="Active filters">
    ${renderChip(href, html`Key: ${isolate(name)}`)}
  </ul>`
}

function renderCauses(causes: readonly ShownCause[], filter: RefusalFilter, timeZone: string) {
  if (causes.length === 0)
    return renderNothing(
      'No records to correct',
      'This page counts the refused records of API keys by cause, until a file corrects them.',
    )
  const since = formatTime(filter.from, timeZone)
  const upload = html`<a href="${buildUploadUrl()}">upload the file</a>`
  return html`<p class="hint">
      Refused records that API keys sent since ${since} and that no file has corrected. Download the records of a
      cause, correct them, and ${upload}.
    </p>
    ${renderTable({
      caption: 'Causes, most records first',
      columns: {
        Records: { count: ({ records }) => records },
        Cause: { isName: true, isLong: true, cell: renderCause },
        People: { isNumber: true, cell: ({ people }) => formatPeople(people) },
        'Such as': { isLong: true, cell: ({ examples }) => renderExamples(examples) },
        Keys: { isWide: true, count: ({ keys }) => keys },
        'Last seen': {
          cell: ({ lastAt }) => renderTime(lastAt, timeZone),
          title: ({ firstAt }) => `First seen ${formatTime(firstAt, timeZone)}`,
        },
        See: { isHeadingHidden: true, cell: (cause) => renderLinks(cause, filter, timeZone) },
      },
      rows: causes,
    })}`
}

function renderCause({ code, field, message }: ShownCause) {
  const words = message ?? capitalise(describeCode(code))
  const isNamed = field === '' || words.startsWith(`${field} `)
  return html`<span title="${code}">${words}</span>${!isNamed && html`: ${isolate(field)}`}`
}

function formatPeople({ count, isEstimate }: ShownCause['people']) {
  return isEstimate ? `about ${formatNumber(Number(count.toPrecision(2)))}` : formatNumber(count)
}

function renderExamples(examples: readonly RefusedExample[]) {
  return html`${examples.map(({ logId, index, name, email, external_id: externalId }, at) => {
    const label = name ?? email ?? externalId ?? `record ${index + 1}`
    // Clients may have sent a name of any length.
    const shown = renderShortValue(label, new Map())
    return html`${at !== 0 && ', '}<a href="${LOGS_PATH}/${logId}/records/${index}">${shown}</a>`
  })}`
}

function renderLinks({ code, field, kind, message }: ShownCause, filter: RefusalFilter, timeZone: string) {
  const entries = buildUrl(LOGS_PATH, { q: code, key: filter.key, from: formatFrom(filter, timeZone) })
  const csv = buildUrl('/admin/v1/refusals/failed-records.csv', { ...filter, code, field, kind })
  const of = html`<span class="visually-hidden">: ${message ?? describeCode(code)}</span>`
  return html`<span class="tools"><a href="${entries}">Entries${of}</a> <a href="${csv}" download>CSV${of}</a></span>`
}

function formatFrom({ from }: RefusalFilter, timeZone: string) {
  return formatLocal(Date.parse(from), timeZone)
}

function renderCalls(calls: readonly RefusedCalls[], filter: RefusalFilter, timeZone: string) {
  const hrefOf = ({ code, calls: count, lastLogId }: RefusedCalls) =>
    count === 1
      ? `${LOGS_PATH}/${lastLogId}`
      : buildUrl(LOGS_PATH, { error: code, key: filter.key, from: formatFrom(filter, timeZone) })
  return html`<h2>Calls that were refused as a whole</h2>
    ${renderTable({
      caption: 'Calls that failed for a reason other than their records, by cause',
      columns: {
        Calls: { count: ({ calls: count }) => count },
        Cause: {
          isName: true,
          cell: (refused) =>
            html`<a href="${hrefOf(refused)}" title="${refused.code}">${capitalise(describeCode(refused.code))}</a>`,
        },
        Records: { count: ({ records }) => records },
        Keys: { isWide: true, count: ({ keys }) => keys },
        'First seen': ({ firstAt }) => renderTime(firstAt, timeZone),
      },
      rows: calls,
    })}`
}
