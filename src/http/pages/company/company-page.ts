import { databaseTime } from '../../../postgres/database-clock.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import type { CompanyServices } from '../../../accounts/change-company.ts'
import { changeTimeZone } from '../../../accounts/companies/change-time-zone.ts'
import type { Problem } from '../../../domain/errors.ts'
import { TIME_ZONES } from '../../../domain/accounts/time-zone.ts'
import { readCompany } from '../../../accounts/companies/read-company.ts'
import type { LedgerDb } from '../../../ledger/tables.ts'
import { ChangeCompanyBody, readTimeZoneField } from '../../admin/company.ts'
import {
  toFormProblem,
  checkForm,
  renderChoice,
  renderFormAlert,
  readFormFields,
  type FormProblem,
} from '../parts/form.ts'
import { sendUserPage } from '../parts/layout.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import { renderNotice } from '../parts/notice.ts'
import { formatTime } from '../../../domain/local-times.ts'
import { renderTime } from '../parts/times.ts'
import { getActing, getViewer } from '../parts/viewer.ts'

const PATH = NAVIGATION.company.path
const DONE = { changed: 'Time zone changed.' }

/** `/settings/company`: the company and its time zone. */
export function addCompanyPage(app: FastifyInstance, db: LedgerDb, services: CompanyServices): void {
  app.get(PATH, (request, reply) => sendCompany(db, request, reply, null))

  const keptForm = {
    fields: ['time_zone'],
    show: (request: FastifyRequest, reply: FastifyReply, problem: Problem) => sendCompany(db, request, reply, problem),
  }
  app.post(PATH, { config: { keptForm } }, async (request, reply) => {
    const { time_zone } = readFormFields(request.body)
    try {
      const timeZone = readTimeZoneField(checkForm(ChangeCompanyBody, time_zone === undefined ? {} : { time_zone }))
      const { position } = await changeTimeZone(services, getActing(request), timeZone)
      return reply.redirect(position === null ? PATH : `${PATH}?done=changed`, 303)
    } catch (error) {
      const refusal = toFormProblem(error)
      return sendCompany(db, request, reply.code(refusal.status), refusal)
    }
  })
}

async function sendCompany(
  db: LedgerDb,
  request: FastifyRequest,
  reply: FastifyReply,
  problem: FormProblem,
): Promise<FastifyReply> {
  const viewer = getViewer(request)
  const { id, name, createdAt, timeZone } = await readCompany(db, viewer.companyId)
  // The company may have a zone that the list leaves out: another client may have set it.
  const zones = TIME_ZONES.includes(timeZone) ? TIME_ZONES : [timeZone, ...TIME_ZONES]
  const options = zones.map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }))
  const chosen = (problem && readFormFields(request.body)['time_zone']) || timeZone
  const hint = `All pages show times in this zone. Current time: ${formatTime(databaseTime(), timeZone)}.`
  const body = html`<h1>Company</h1>
    ${problem ? renderFormAlert(problem) : renderNotice(request, DONE)}
    <dl class="facts">
      <dt>Name</dt>
      <dd><bdi>${name}</bdi></dd>
      <dt>ID</dt>
      <dd>
        <code id="company-id">${id}</code>
        <button type="button" class="quiet" data-copy="#company-id" hidden>Copy</button>
      </dd>
      <dt>Registered</dt>
      <dd>${renderTime(createdAt, timeZone)}</dd>
    </dl>
    <form method="post" action="${PATH}" class="stack">
      ${renderChoice({ name: 'time_zone', label: 'Time zone', value: chosen, options, hint }, problem)}
      <button class="primary">Save</button>
    </form>`
  return sendUserPage(request, reply, viewer, { title: 'Company', body })
}
