import type { FastifyInstance } from 'fastify'
import { html } from 'hono/html'
import { readDisputes } from '../../../accounts/attention/read-disputes.ts'
import type { SeenWebhook } from '../../../accounts/webhooks/read-webhooks.ts'
import { listWebhooks } from '../../../accounts/webhooks/read-webhooks.ts'
import type { AttentionFacts } from '../../../domain/attention.ts'
import { BACKGROUND_WORK } from '../../../domain/background-work.ts'
import { problem } from '../../../domain/errors.ts'
import type { FailingWork } from '../../../ledger/background/failing-work.ts'
import { readFailingWork } from '../../../ledger/background/failing-work.ts'
import type { SeenHead } from '../../../ledger/read/read-head.ts'
import { readHead } from '../../../ledger/read/read-head.ts'
import type { CompanyStanding } from '../../../ledger/read/read-standings.ts'
import type { SystemHealth } from '../../../ledger/read/system-health.ts'
import type { LedgerDb } from '../../../ledger/tables.ts'
import { ProblemError } from '../../server/problem.ts'
import { readFormFields } from '../parts/form.ts'
import { sendUserPage } from '../parts/layout.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import { renderNotice } from '../parts/notice.ts'
import type { Html } from '../parts/page.ts'
import { formatNumber } from '../parts/shown-values.ts'
import { renderTime } from '../parts/times.ts'
import { renderBadge } from '../parts/badges.ts'
import { getViewer } from '../parts/viewer.ts'
import { describeTrouble, formatWebhookName } from '../webhooks/webhook-words.ts'

const PATH = NAVIGATION.health.path
/** How often the page updates itself while it is visible. */
const REFRESH_MS = 10_000
const DONE = {
  resumed: 'Projection resumed from where it stopped. If the same event fails again, it is parked again.',
  'not-parked': 'The projection was no longer parked. Nothing was changed.',
}

/**
 * `/settings/health`: how far each projection of the company is, and what does not work. What concerns all companies is
 * for operators, in metrics and on the command line.
 */
export function addHealthPage(app: FastifyInstance, db: LedgerDb, health: SystemHealth): void {
  app.get(PATH, async (request, reply) => {
    const viewer = getViewer(request)
    const body = html`<h1>System health</h1>
      ${renderNotice(request, DONE)}
      <p><a class="button" href="${PATH}">Refresh</a></p>
      <div id="report" data-refresh="${REFRESH_MS}">${await renderReport(viewer.companyId, viewer.timeZone)}</div>`
    return sendUserPage(request, reply, viewer, { title: 'System health', body })
  })

  app.post(`${PATH}/resume`, async (request, reply) => {
    const { companyId, userId } = getViewer(request)
    const { projection = '' } = readFormFields(request.body)
    const projections = await health.report(companyId)
    if (!projections.some(({ name }) => name === projection))
      throw new ProblemError(problem('route_not_found', 'No such projection exists'))
    const isResumed = await health.resume(companyId, projection)
    if (isResumed) request.log.info({ companyId, userId, projection }, 'a parked company was resumed')
    return reply.redirect(`${PATH}?done=${isResumed ? 'resumed' : 'not-parked'}`, 303)
  })

  async function renderReport(companyId: string, timeZone: string): Promise<Html> {
    const [projections, head, webhooks, disputes, failing] = await Promise.all([
      health.report(companyId),
      readHead(db, companyId),
      listWebhooks(db, companyId),
      readDisputes(db, companyId),
      readFailingWork(db, companyId),
    ])
    return html`${disputes.map((dispute) => renderDispute(dispute, timeZone))}
    ${failing.map((work) => renderFailingWork(work, timeZone))}
    ${projections.map((projection) => renderParkedWarning(projection, timeZone))}
    ${webhooks.map(renderWebhookWarning)}
    ${renderProjections(projections)} ${renderLedgerFacts(head, timeZone)}`
  }
}

function renderDispute({ id, since, error }: AttentionFacts['disputes'][number], timeZone: string): Html {
  return html`<p class="warning">
    <strong>The witness <bdi>${id}</bdi> disputes the ledger</strong> since ${renderTime(since, timeZone)}: ${error}. Calls
    are still accepted. Keep your checkpoints, and tell the operator of the service.
  </p>`
}

function renderFailingWork({ work, since }: FailingWork, timeZone: string): Html {
  return html`<p class="warning">
    <strong>The service can't ${BACKGROUND_WORK[work]}</strong> since ${renderTime(since, timeZone)}. It keeps trying. Tell
    the operator of the service.
  </p>`
}

function renderParkedWarning({ name, parkedAt, error, reached }: CompanyStanding, timeZone: string): Html {
  if (parkedAt === null) return html``
  return html`<section class="warning" aria-label="${name} is parked">
    <p>
      <strong>${name} is parked</strong> since ${renderTime(parkedAt, timeZone)}: it stopped at position ${reached},
      before <a href="${NAVIGATION.events.path}/${reached + 1}">event ${reached + 1}</a>. Its pages show the data up to
      there. Calls are still accepted, and nothing is lost.
    </p>
    <pre>${error ?? 'No error was recorded.'}</pre>
    <form method="post" action="${PATH}/resume">
      <input type="hidden" name="projection" value="${name}" />
      <button>Resume ${name}</button>
    </form>
  </section>`
}

/** Warns about a webhook that gets no messages, unless an administrator paused it. */
function renderWebhookWarning(seen: SeenWebhook): Html {
  const trouble = describeTrouble(seen)
  if (trouble === null) return html``
  const { webhook } = seen
  const href = `${NAVIGATION.webhooks.path}/${webhook.id}`
  return html`<p class="warning">
    <strong>Webhook <a href="${href}"><bdi>${formatWebhookName(webhook)}</bdi></a></strong> is not receiving messages. ${trouble}
  </p>`
}

function renderProjections(projections: readonly CompanyStanding[]): Html {
  return html`<h2>Projections</h2>
    <table class="cards">
      <caption>
        How far each read model is behind the ledger
      </caption>
      <thead>
        <tr>
          <th scope="col">Projection</th>
          <th scope="col">Status</th>
          <th scope="col" class="number">Events behind</th>
          <th scope="col" class="number">Seconds behind</th>
          <th scope="col" class="number">Position</th>
        </tr>
      </thead>
      <tbody>
        ${projections.map(
          (one) =>
            html`<tr>
              <th scope="row">${one.name}</th>
              <td data-label="Status">${renderProjectionStatus(one)}</td>
              <td class="number" data-label="Events behind">${formatNumber(one.eventsBehind)}</td>
              <td class="number" data-label="Seconds behind">${one.secondsBehind.toFixed(1)}</td>
              <td class="number" data-label="Position">${formatNumber(one.reached)}</td>
            </tr>`,
        )}
      </tbody>
    </table>`
}

function renderProjectionStatus({ parkedAt, attempts, eventsBehind }: CompanyStanding): Html {
  if (parkedAt !== null) return renderBadge('bad', 'Parked')
  if (attempts > 0) return renderBadge('warn', `Retrying (${attempts})`)
  return eventsBehind > 0 ? renderBadge('warn', 'Catching up') : renderBadge('good', 'Up to date')
}

function renderLedgerFacts({ position, root, recordedAt }: SeenHead, timeZone: string): Html {
  return html`<h2>Ledger</h2>
    <dl class="facts">
      <dt>Events</dt>
      <dd>${formatNumber(position)}</dd>
      <dt>Root hash</dt>
      <dd>
        <code id="root">${root.toString('base64')}</code>
        <button type="button" class="quiet" data-copy="#root" hidden>Copy</button>
      </dd>
      <dt>Last event</dt>
      <dd>${renderTime(recordedAt, timeZone)}</dd>
    </dl>`
}
