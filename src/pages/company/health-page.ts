import type { FastifyInstance } from 'fastify'
import { readDisputes } from '#accounts/attention/read-attention'
import { listWebhooks, type SeenWebhook } from '#accounts/webhooks/read-webhooks'
import type { AttentionFacts } from '#domain/attention'
import { BACKGROUND_WORK } from '#domain/attention-kinds'
import { readFailingWork, type FailingWork } from '#ledger/background/failing-work'
import { readHead, type SeenHead } from '#ledger/read/read-head'
import type { CompanyStanding, SystemHealth } from '#ledger/read/read-standings'
import type { LedgerDb } from '#ledger/tables'
import { problemError } from '#http/server/problem'
import {
  renderFacts,
  html,
  renderTable,
  renderTime,
  renderBadge,
  isolate,
  renderActions,
  renderButton,
  renderNameLink,
  renderWarning,
} from '#pages/parts/elements'
import { addFormPage, renderForm, type PageForms } from '#pages/parts/form-page'
import { NAVIGATION, nameList } from '#wording/navigation'
import { type PageServices, getViewer } from '#pages/parts/context'
import { formatNumber } from '#wording/numbers'
import { describeTrouble, formatWebhookName } from '#pages/webhooks/webhook-words'

const PATH = NAVIGATION.health.path
/** How often the page updates itself while it is visible. */
const REFRESH_MS = 10_000

/**
 * `/settings/health`: how far each projection of the company is, and what does not work. What concerns all companies is
 * for operators, in metrics and on the command line.
 */
export function addHealthPage(app: FastifyInstance, { db, health }: PageServices) {
  addFormPage(app, {
    path: PATH,
    load: (request) => loadReport(db, health, getViewer(request).companyId),
    render: (report, forms, request) => ({
      title: 'System health',
      body: html`${renderActions(renderButton(PATH, 'Refresh'))}
        <div id="report" data-refresh="${REFRESH_MS}">
          ${renderReport(report, forms, getViewer(request).timeZone)}
        </div>`,
    }),
    notices: {
      resumed: 'The list resumed from where it stopped. If the same event fails again, it stops again.',
      'not-parked': 'The list had already resumed. Nothing was changed.',
    },
    forms: {
      resume: {
        path: '/resume',
        async run(request, { projection = '' }) {
          const { companyId, userId } = getViewer(request)
          const projections = await health.report(companyId)
          if (!projections.some(({ name }) => name === projection))
            throw problemError('route_not_found', 'No such list exists')
          const isResumed = await health.resume(companyId, projection)
          if (isResumed) request.log.info({ companyId, userId, projection }, 'a parked company was resumed')
          return { done: isResumed ? 'resumed' : 'not-parked' }
        },
      },
    },
  })
}

async function loadReport(db: LedgerDb, health: SystemHealth, companyId: string) {
  const [projections, head, webhooks, disputes, failing] = await Promise.all([
    health.report(companyId),
    readHead(db, companyId),
    listWebhooks(db, companyId),
    readDisputes(db, companyId),
    readFailingWork(db, companyId),
  ])
  return { projections, head, webhooks, disputes, failing }
}

function renderReport(
  { projections, head, webhooks, disputes, failing }: Awaited<ReturnType<typeof loadReport>>,
  forms: PageForms<'resume'>,
  timeZone: string,
) {
  return html`${disputes.map((dispute) => renderDispute(dispute, timeZone))}
  ${failing.map((work) => renderFailingWork(work, timeZone))}
  ${projections.map((projection) => renderParkedWarning(projection, forms, timeZone))}
  ${webhooks.map(renderWebhookWarning)} ${renderProjections(projections)} ${renderLedgerFacts(head, timeZone)}`
}

function renderDispute({ id, since, error }: AttentionFacts['disputes'][number], timeZone: string) {
  const fault = html`<strong>The witness ${isolate(id)} disputes the ledger</strong>`
  const remedy = 'Calls are still accepted. Keep your checkpoints, and tell the operator of the service.'
  return renderWarning(html`${fault} since ${renderTime(since, timeZone)}: ${error}. ${remedy}`)
}

function renderFailingWork({ work, since }: FailingWork, timeZone: string) {
  const fault = html`<strong>The service can't ${BACKGROUND_WORK[work]}</strong>`
  const remedy = 'It keeps trying. Tell the operator of the service.'
  return renderWarning(html`${fault} since ${renderTime(since, timeZone)}. ${remedy}`)
}

function renderParkedWarning(
  { name, parkedAt, error, reached }: CompanyStanding,
  forms: PageForms<'resume'>,
  timeZone: string,
) {
  if (parkedAt === null) return html``
  const label = nameList(name)
  const next = formatNumber(reached + 1)
  const resuming = html`<button name="projection" value="${name}">Resume ${label}</button>`
  return html`<section class="warning" aria-label="${label} has stopped">
    <p>
      <strong>${label} has stopped</strong> ${renderTime(parkedAt, timeZone)}, before
      <a href="${NAVIGATION.events.path}/${reached + 1}">event ${next}</a>. Its pages show the data up to there. Calls
      are still accepted, and nothing is lost.
    </p>
    <pre>${error ?? 'No error was recorded.'}</pre>
    ${renderForm(forms, 'resume', { buttons: resuming })}
  </section>`
}

/** Warns about a webhook that gets no messages, unless an administrator paused it. */
function renderWebhookWarning(seen: SeenWebhook) {
  const trouble = describeTrouble(seen)
  if (trouble === null) return html``
  const { webhook } = seen
  const href = `${NAVIGATION.webhooks.path}/${webhook.id}`
  return renderWarning(
    html`<strong>Webhook ${renderNameLink(href, formatWebhookName(webhook))}</strong> gets no messages. ${trouble}`,
  )
}

function renderProjections(projections: readonly CompanyStanding[]) {
  return html`<h2>Lists</h2>
    ${renderTable({
      caption: 'How far each list is behind the ledger',
      isCaptionShown: true,
      columns: {
        List: ({ name }) => nameList(name),
        Status: renderProjectionStatus,
        'Events behind': { isNumber: true, cell: ({ eventsBehind }) => formatNumber(eventsBehind) },
        'Seconds behind': { isNumber: true, cell: ({ secondsBehind }) => secondsBehind.toFixed(1) },
        'Up to event': { isNumber: true, cell: ({ reached }) => formatNumber(reached) },
      },
      rows: projections,
    })}`
}

function renderProjectionStatus({ parkedAt, attempts, eventsBehind }: CompanyStanding) {
  if (parkedAt !== null) return renderBadge('bad', 'Stopped')
  if (attempts > 0) return renderBadge('warn', `Retrying (${attempts})`)
  return eventsBehind > 0 ? renderBadge('warn', 'Catching up') : renderBadge('good', 'Up to date')
}

function renderLedgerFacts({ position, recordedAt }: SeenHead, timeZone: string) {
  return html`<h2>Ledger</h2>
    ${renderFacts({
      Events: formatNumber(position),
      'Last event': renderTime(recordedAt, timeZone),
    })}`
}
