import type { FastifyInstance, FastifyRequest } from 'fastify'
import { searchEmployees } from '#projections/employees/queries'
import type { SessionUser } from '#accounts/users/sessions'
import { type Employee, formatFullName } from '#domain/employees/employee'
import { fieldError, invalidFields } from '#domain/errors'
import { isId } from '#domain/ids'
import { EVENTS_TOLD, type PlannedEvidence } from '#evidence/evidence-file'
import type { EvidenceSubject } from '#ledger/evidence/evidence-subject'
import type { StoredFile } from '#ledger/evidence/stored-files'
import type { LedgerDb } from '#ledger/tables'
import { readSubject, planOrRefuse, sendEvidence, sendZip } from '#api/audit/evidence'
import { STREAMED_ROUTE, whenGiven } from '#http/access/heavy-reads'
import { ProblemError, problemError } from '#http/server/problem'
import { streamTexts } from '#http/server/text-stream'
import { buildUrl, EVIDENCE_PATH, NAVIGATION } from '#wording/navigation'
import {
  type FormFields,
  type FormProblem,
  pickFields,
  readFormFields,
  renderOptional,
  type FormControl,
  toFormProblem,
  renderHidden,
  checkPeriod,
  readPeriod,
} from '#pages/parts/form'
import { addFormPage, type PageForms, renderForm } from '#pages/parts/form-page'
import { html, renderNameLink, renderTime, isolate, renderHint, renderWarning } from '#pages/parts/elements'
import { type PageServices, getViewer, requireViewer } from '#pages/parts/context'
import { formatNumber } from '#wording/numbers'
import { describeSubject, readMe } from './read-me.ts'

/** A file with more events is made by a job. */
const EVENTS_AT_ONCE = EVENTS_TOLD
const REFRESH_MS = 1_000
const RELOAD_SECONDS = 3
/** The people that are listed to choose from. */
const MAX_PEOPLE = 10
const HOW = html`<a href="/verify">How it is verified</a>`
const FIELDS = ['employee', 'call', 'from', 'to'] as const

/** `/settings/ledger/evidence`: makes an evidence file, at once or by a job. For administrators and auditors. */
export function addEvidencePage(app: FastifyInstance, services: PageServices) {
  const { db, access, sessions, company, signer, reads, storedFiles } = services
  const authorize = requireViewer(access, sessions)
  const plan = async (request: FastifyRequest, subject: EvidenceSubject) =>
    planOrRefuse({ db, pool: company.pool, signer }, request, getViewer(request).companyId, subject)

  addFormPage(app, {
    path: EVIDENCE_PATH,
    config: { isHeavyRead: whenGiven(['employee', 'call', 'from', 'to']) },
    async load(request) {
      const { companyId, timeZone } = getViewer(request)
      const given = pickGiven(request.body ?? request.query)
      const file = await storedFiles.read(companyId)
      const nothing = { given, file, people: [], planned: null, fault: null }
      if (request.method === 'POST' || !isSent(request)) return nothing
      try {
        const people = await findPeople(await reads.of(companyId, request.left), companyId, given)
        if (people !== null) return { ...nothing, people }
        return { ...nothing, planned: await plan(request, readGivenSubject(given, timeZone)) }
      } catch (error) {
        return { ...nothing, fault: toFormProblem(error) }
      }
    },
    render({ given, file, people, planned, fault }, forms, request) {
      const [person, ...others] = people
      if (person && others.length === 0) return { elsewhere: buildUrl(EVIDENCE_PATH, { employee: person.id }) }
      const isOpen = file !== null && (file.state === 'waiting' || file.state === 'making')
      return {
        title: 'Evidence files',
        trail: [NAVIGATION.ledger],
        problem: fault,
        reloadSeconds: isOpen ? RELOAD_SECONDS : undefined,
        body: html`<p>
            An evidence file proves events to somebody who has nothing but the file. It has the events, the proof that
            they are in your company's ledger, a verifier, and a page that describes them in sentences. Erased data are
            not in it. ${HOW}
          </p>
          ${people.length > 0 && renderPeople(people)}
          ${planned && renderPlan(planned, given, storedFiles.canStore, forms)}
          <div id="stored" ${isOpen && html`data-refresh="${REFRESH_MS}"`}>
            ${file !== null && renderStoredFile(file, getViewer(request))}
          </div>
          ${renderFields(given, fault ?? forms.problemOf('make'))}`,
      }
    },
    notices: { running: 'A file is already being made. Nothing was started.' },
    forms: {
      make: {
        async run(request, fields) {
          const { companyId, userId, timeZone } = getViewer(request)
          const subject = readGivenSubject(pickGiven(fields), timeZone)
          if (!storedFiles.canStore) throw problemError('unavailable', NO_KEY)
          const isRequested = await storedFiles.request(companyId, { subject, requestedBy: userId })
          return isRequested ? { goTo: EVIDENCE_PATH } : { done: 'running' }
        },
      },
    },
  })

  app.get(`${EVIDENCE_PATH}/file`, STREAMED_ROUTE, async (request, reply) => {
    const { companyId, timeZone } = getViewer(request)
    const planned = await plan(request, readGivenSubject(pickGiven(request.query), timeZone))
    const reading = await reads.of(companyId, request.left)
    return sendEvidence({ request, reply, authorize }, reading, readMe, planned)
  })

  app.get(`${EVIDENCE_PATH}/stored`, STREAMED_ROUTE, async (request, reply) => {
    const { companyId } = getViewer(request)
    const file = await storedFiles.read(companyId)
    if (file?.state !== 'done') throw problemError('route_not_found', 'This file no longer exists')
    const chunks = storedFiles.readChunks(companyId, file)
    return sendZip(reply, file.subject).send(await streamTexts({ request, reply, authorize }, chunks))
  })
}

const NO_KEY =
  'This service has no key with which it could store the file encrypted. Use the audit endpoint or the command line'

/** Picks what a file is about. A call is named by its ID, or by the address of its entry. */
function pickGiven(from: unknown): FormFields {
  const { call, ...others } = pickFields(readFormFields(from), FIELDS)
  return call === undefined ? others : { ...others, call: /log_[0-9a-z]{26}/.exec(call)?.[0] ?? call }
}

/** Whether somebody has sent the form, perhaps without a choice. */
function isSent({ query }: FastifyRequest) {
  return FIELDS.some((name) => readFormFields(query)[name] !== undefined)
}

/** Finds the people whom a form means by name or address; null if it means anything else. Throws if it means nobody. */
async function findPeople(db: LedgerDb, companyId: string, given: FormFields) {
  const { employee: text } = given
  if (text === undefined || isId('emp', text) || Object.keys(given).length > 1) return null
  const found = await searchEmployees(db, companyId, text, { after: null, limit: MAX_PEOPLE })
  if (found.length > 0) return found
  throw new ProblemError(invalidFields([faultOf('employee', 'names nobody: search by a current name, email, or ID')]))
}

/** Reads the subject of a form. Days and times are in the company's time zone; a day in `to` is included. */
function readGivenSubject(given: FormFields, timeZone: string) {
  const { call } = given
  const faults = [
    ...(call === undefined || isId('log', call) ? [] : [faultOf('call', 'must be the ID of an entry, or its address')]),
    ...checkPeriod(given),
  ]
  const isPeriod = 'from' in given || 'to' in given
  if (['employee' in given, 'call' in given, isPeriod].filter(Boolean).length !== 1)
    faults.push(fieldError('', 'invalid_value', NOT_ONE))
  if (faults.length > 0) throw new ProblemError(invalidFields(faults))
  return readSubject({ ...given, ...readPeriod(given, timeZone) })
}

const NOT_ONE = 'Choose what the file is about: an employee, a call, or a period, and only one of them'

function faultOf(name: string, fault: string) {
  return fieldError(`/${name}`, 'invalid_value', `${name} ${fault}`)
}

function renderPlan(planned: PlannedEvidence, given: FormFields, canStore: boolean, forms: PageForms<'make'>) {
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
  if (!canStore) return html`${text}${renderWarning(`${NO_KEY}.`)}`
  return html`${text}
    ${renderForm(forms, 'make', {
      buttons: html`${Object.entries(given).map(([name, value]) => renderHidden(name, value))}
        <button class="primary">Make evidence file</button>
        ${renderHint("This may take some minutes. The file replaces your company's last one, and is kept for a day.")}`,
    })}`
}

function renderPeople(people: Employee[]) {
  return html`<h2>Which employee?</h2>
    <ul>
      ${people.map(
        (person) =>
          html`<li>
            ${renderNameLink(buildUrl(EVIDENCE_PATH, { employee: person.id }), formatFullName(person))}
            <span class="hint">${isolate(person.email ?? person.external_id)}</span>
          </li>`,
      )}
    </ul>
    ${people.length === MAX_PEOPLE && html`<p>There may be more. Type more of the name, or an email.</p>`}`
}

const SUBJECT: readonly FormControl[] = [
  {
    name: 'employee',
    label: 'Employee',
    maxLength: 254,
    hint: 'A current name, email, external ID, or ID.',
  },
  { name: 'call', label: 'Call', maxLength: 254, hint: 'The address of its entry in Bulk User Logs, or its ID.' },
  { name: 'from', label: 'From', type: 'moment', hint: 'The first day, in the time zone of the company.' },
  { name: 'to', label: 'To', type: 'moment', hint: 'The last day.' },
]

function renderFields(given: FormFields, fault: FormProblem) {
  return html`<h2>New evidence file</h2>
    <p>Choose one: an employee, a call, or a period.</p>
    <form method="get" action="${EVIDENCE_PATH}" class="stack">
      ${renderOptional(SUBJECT, given, fault)}
      <button class="primary">Continue</button>
    </form>`
}

const MIB = 1024 ** 2

/** Renders the file that a job makes or has made. */
function renderStoredFile(file: StoredFile, viewer: SessionUser) {
  return html`<h2>File about ${describeSubject({ subject: file.subject, company: viewer })}</h2>
    ${renderState(file, viewer.timeZone)}`
}

function renderState({ state, events, eventsRead, bytes, expiresAt, problem }: StoredFile, timeZone: string) {
  switch (state) {
    case 'waiting':
      return html`<p role="status">Waiting for a worker.</p>
        <progress aria-label="Events in the file"></progress>`
    case 'making':
      return html`<p role="status">Read ${formatNumber(eventsRead)} of ${formatNumber(events)} events.</p>
        <progress max="${Math.max(events, 1)}" value="${eventsRead}" aria-label="Events in the file"></progress>`
    case 'done':
      return html`<p role="status">
          ${formatNumber(events)} events, ${formatNumber(Math.ceil(bytes / MIB))} MiB. Kept until
          ${renderTime(expiresAt, timeZone)}, or until data of your company are erased.
        </p>
        <p class="actions">
          <a class="button primary" href="${EVIDENCE_PATH}/stored" download>Download evidence file</a>
        </p>`
    case 'failed':
      return html`<p class="warning" role="status">${problem}</p>`
    case 'stopped':
      return html`<p class="warning" role="status">
        The job that was making this file has stopped. Start again. If that does not help, tell the operator of this
        service.
      </p>`
  }
}
