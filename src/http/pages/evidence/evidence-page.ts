import type { FastifyInstance, FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import { findEndOf, findStartOf, readLocal } from '../../../domain/local-times.ts'
import { problem } from '../../../domain/errors.ts'
import { fieldError, invalidFields } from '../../../domain/field-errors.ts'
import { isId } from '../../../domain/ids.ts'
import type { PlannedEvidence } from '../../../evidence/evidence-file.ts'
import { EVENTS_TOLD } from '../../../evidence/evidence-file.ts'
import type { EvidenceSubject } from '../../../ledger/evidence/evidence-subject.ts'
import { planOrRefuse, sendEvidence, sendZip } from '../../audit/send-evidence.ts'
import { STREAMED_ROUTE, whenGiven } from '../../access/heavy-reads.ts'
import { ProblemError } from '../../server/problem.ts'
import { streamTexts } from '../../server/text-stream.ts'
import { buildUrl } from '../parts/addresses.ts'
import type { FormFields, FormProblem } from '../parts/form.ts'
import { readFormFields, renderField, toFormProblem } from '../parts/form.ts'
import { addFormPage, renderForm, type PageForms } from '../parts/form-page.ts'
import { EVIDENCE_PATH, NAVIGATION } from '../parts/navigation.ts'
import type { PageServices } from '../parts/page-services.ts'
import type { Html } from '../parts/page.ts'
import { formatNumber } from '../parts/shown-values.ts'
import { getViewer, requireViewer } from '../parts/viewer.ts'
import { describeSubject, readMe } from './read-me.ts'
import { renderStoredFile } from './stored-file.ts'

/** A file with more events is made by a job. */
const EVENTS_AT_ONCE = EVENTS_TOLD
const REFRESH_MS = 1_000
const RELOAD_SECONDS = 3
const FIELDS = ['employee', 'call', 'from', 'to'] as const

type EvidencePageServices = Pick<
  PageServices,
  'db' | 'access' | 'sessions' | 'company' | 'signer' | 'reads' | 'storedFiles'
>

/** `/settings/ledger/evidence`: makes an evidence file, at once or by a job. For administrators and auditors. */
export function addEvidencePage(app: FastifyInstance, services: EvidencePageServices): void {
  const { db, access, sessions, company, signer, reads, storedFiles } = services
  const authorize = requireViewer(access, sessions)
  const plan = async (request: FastifyRequest, subject: EvidenceSubject) =>
    planOrRefuse({ db, pool: company.pool, signer }, request, getViewer(request).companyId, subject)

  addFormPage(app, {
    path: EVIDENCE_PATH,
    config: { isHeavyRead: whenGiven('employee', 'call', 'from', 'to') },
    async load(request) {
      const { companyId, timeZone } = getViewer(request)
      const given = pickFields(request.body ?? request.query)
      const file = await storedFiles.read(companyId)
      if (request.method === 'POST' || Object.keys(given).length === 0)
        return { given, file, planned: null, fault: null }
      try {
        return { given, file, planned: await plan(request, readGivenSubject(given, timeZone)), fault: null }
      } catch (error) {
        return { given, file, planned: null, fault: toFormProblem(error) }
      }
    },
    render({ given, file, planned, fault }, forms, request) {
      const isOpen = file !== null && (file.state === 'waiting' || file.state === 'making')
      return {
        title: 'Evidence files',
        trail: [NAVIGATION.ledger],
        problem: fault,
        reloadSeconds: isOpen ? RELOAD_SECONDS : undefined,
        body: html`<p>
            An evidence file proves events to somebody who has nothing but the file. It has the events, the proof that they
            are in your company's ledger, a verifier, and a page that describes them in sentences. Erased data are not in
            it. <a href="/verify">How it is verified</a>
          </p>
          ${planned ? renderPlan(planned, given, storedFiles.canStore, forms) : ''}
          <div id="stored" ${isOpen ? html`data-refresh="${REFRESH_MS}"` : ''}>
            ${file === null ? '' : renderStoredFile(file, getViewer(request), `${EVIDENCE_PATH}/stored`)}
          </div>
          ${renderFields(given, fault ?? forms.problemOf('make'))}`,
      }
    },
    notices: { running: 'A file is already being made. Nothing was started.' },
    forms: {
      make: {
        async run(request, fields) {
          const { companyId, userId, timeZone } = getViewer(request)
          const subject = readGivenSubject(pickFields(fields), timeZone)
          if (!storedFiles.canStore) throw new ProblemError(problem('unavailable', NO_KEY))
          const isRequested = await storedFiles.request(companyId, { subject, requestedBy: userId })
          return isRequested ? { goTo: EVIDENCE_PATH } : { done: 'running' }
        },
      },
    },
  })

  app.get(`${EVIDENCE_PATH}/file`, STREAMED_ROUTE, async (request, reply) => {
    const { companyId, timeZone } = getViewer(request)
    const planned = await plan(request, readGivenSubject(pickFields(request.query), timeZone))
    const reading = await reads.of(companyId, request.left)
    return sendEvidence({ request, reply, authorize }, reading, readMe, planned)
  })

  app.get(`${EVIDENCE_PATH}/stored`, STREAMED_ROUTE, async (request, reply) => {
    const { companyId } = getViewer(request)
    const file = await storedFiles.read(companyId)
    if (file?.state !== 'done') throw new ProblemError(problem('route_not_found', 'This file no longer exists'))
    const chunks = storedFiles.readChunks(companyId, file)
    return sendZip(reply, file.subject).send(await streamTexts({ request, reply, authorize }, chunks))
  })
}

const NO_KEY =
  'This service has no key with which it could store the file encrypted. Use the audit endpoint or the command line'

function pickFields(from: unknown): FormFields {
  const fields = readFormFields(from)
  const given = FIELDS.map((name) => [name, fields[name]?.trim() ?? ''] as const).filter(([, text]) => text !== '')
  return Object.fromEntries(given)
}

/** Reads the subject of a form. Days and times are in the company's time zone; a day in `to` is included. */
function readGivenSubject({ employee, call, from, to }: FormFields, timeZone: string): EvidenceSubject {
  const faults = [
    ...(employee === undefined || isId('emp', employee) ? [] : [faultOf('employee', 'must be the ID of an employee')]),
    ...(call === undefined || isId('log', call) ? [] : [faultOf('call', 'must be the ID of a call')]),
    ...(from === undefined || readLocal(from) ? [] : [faultOf('from', NOT_LOCAL)]),
    ...(to === undefined || readLocal(to) ? [] : [faultOf('to', NOT_LOCAL)]),
  ]
  const isPeriod = from !== undefined || to !== undefined
  if ([employee !== undefined, call !== undefined, isPeriod].filter(Boolean).length !== 1)
    faults.push(fieldError('', 'invalid_value', 'Choose an employee, a call, or a period, and only one of them'))
  if (faults.length > 0) throw new ProblemError(invalidFields(faults))
  if (employee !== undefined) return { kind: 'employee', id: employee }
  if (call !== undefined) return { kind: 'call', id: call }
  const toInstant = (time: number) => new Date(time).toISOString()
  return {
    kind: 'period',
    from: from === undefined ? null : toInstant(findStartOf(from, timeZone)),
    to: to === undefined ? null : toInstant(findEndOf(to, timeZone)),
  }
}

const NOT_LOCAL = 'must be a date, such as 2026-11-20, or a date and time, such as 2026-11-20T14:30'

function faultOf(name: string, fault: string) {
  return fieldError(`/${name}`, 'invalid_value', `${name} ${fault}`)
}

function renderPlan(planned: PlannedEvidence, given: FormFields, canStore: boolean, forms: PageForms<'make'>): Html {
  const { events, checkpoint } = planned
  const text = html`<p>
    The file about ${describeSubject(planned)} has <strong>${formatNumber(events)}</strong> of the
    ${formatNumber(checkpoint.size)} events of the ledger.
  </p>`
  if (events <= EVENTS_AT_ONCE)
    return html`${text}
      <p class="actions">
        <a class="button primary" href="${buildUrl(`${EVIDENCE_PATH}/file`, given)}" download>Download evidence file</a>
      </p>`
  if (!canStore) return html`${text}<p class="warning">${NO_KEY}.</p>`
  return html`${text}
    ${renderForm(forms, 'make', {
      buttons: html`${Object.entries(given).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
        <button class="primary">Make evidence file</button>
        <p class="hint">This may take some minutes. The file replaces your company's last one, and is kept for a day.</p>`,
    })}`
}

function renderFields(given: FormFields, fault: FormProblem): Html {
  const field = (name: (typeof FIELDS)[number], label: string, hint?: string) =>
    renderField(
      {
        name,
        label,
        value: given[name] ?? '',
        isRequired: false,
        autocomplete: 'off',
        maxLength: 64,
        ...(hint === undefined ? {} : { hint }),
      },
      fault,
    )
  return html`<h2>New evidence file</h2>
    <form method="get" action="${EVIDENCE_PATH}">
      ${field('employee', 'Employee ID')} ${field('call', 'Call ID', 'The ID of an entry in Bulk User Logs.')}
      ${field('from', 'From', 'A date, or a date and time, in the time zone of the company.')}
      ${field('to', 'To', 'A day is included.')}
      <button class="primary">Continue</button>
    </form>`
}
