import type { Pool } from 'pg'
import type { RecordedEvent } from '#domain/events'
import type { Acting, CompanyServices } from '#accounts/change-company'
import {
  type TracedEmployee,
  EMPLOYEE_EVENTS,
  EMPLOYEE_ROWS,
  isErasedWithEmployee,
  isInStoredFiles,
} from './employee-places.ts'
import {
  type NamedPerson,
  type Traces,
  joinTraces,
  makeUnknownPersonError,
  normalizeName,
  searchLedger,
} from './find-person.ts'
import type { Row } from './places.ts'
import { formatFullName } from '#domain/employees/employee'
import { findEventsWith, readCallEnds } from '#ledger/erasure/find-events'
import { readEmployeeAt } from '#ledger/read/read-employee-history'
import type { LedgerDb } from '#ledger/tables'
import { describeEvents, ERASED_FIELDS, beginReport, readPlaces, single, type Report, type Section } from './report.ts'
import { listWebhookRecipients } from './webhook-recipients.ts'

/**
 * Reports what is held about an employee, or a person who appears only in refused records. Finds them as `eraseEmployee`
 * does, and throws the same refusals, but also reports what remains of an employee who was erased. Records the report in
 * the ledger.
 */
export async function reportEmployee(
  services: CompanyServices & { db: LedgerDb },
  acting: Acting,
  person: NamedPerson,
  left?: AbortSignal,
): Promise<Report> {
  const { db, pool } = services
  const { companyId } = acting
  const { person: employee, traces } = await searchLedger(pool, companyId, normalizeName(person), left)
  const traced = joinTraces(employee, [traces])
  const { employeeId, names } = traced
  const state = await readState(db, companyId, employeeId)
  const isTraced = traced.positions.length + traced.bodies.length > 0 || state.standing !== 'unknown'
  if (!isTraced && !(await isInStoredFiles(pool, traced, left))) throw makeUnknownPersonError()
  const name = state.standing === 'known' ? formatFullName(state.employee) : undefined
  const beginning = await beginReport(services, acting, { id: employeeId, name, isActor: false })
  const facts = {
    ...beginning.facts,
    employee_id: employeeId,
    standing: STANDING[state.standing],
    emails: [...names.emails],
    external_ids: [...names.externalIds],
    user_names: [...names.userNames],
    directory_external_ids: [...names.directoryIds],
  }
  return {
    ...beginning,
    facts,
    sections: listSections(pool, traced, traces, state),
  }
}

const STANDING = { known: 'employee', erased: 'erased', unknown: 'only in refused records' } as const

async function readState(db: LedgerDb, companyId: string, employeeId: string | null) {
  if (employeeId === null) return { standing: 'unknown' } as const
  return readEmployeeAt(db, companyId, employeeId, Number.MAX_SAFE_INTEGER)
}

/** What stands under each name, apart from its title and description. */
type Contents = Record<SectionName, Pick<Section, 'erases' | 'items'>>

function listSections(
  pool: Pool,
  person: TracedEmployee,
  traces: Traces,
  state: Awaited<ReturnType<typeof readState>>,
): Section[] {
  const contents = { ...readEvents(pool, person, traces, state), ...readRows(pool, person, traces) } satisfies Contents
  return Object.entries(WORDS).map(([name, words]) => ({ name, ...words, ...contents[name as SectionName] }))
}

function readEvents(pool: Pool, person: TracedEmployee, traces: Traces, state: Awaited<ReturnType<typeof readState>>) {
  const employee = state.standing === 'known' ? { ...state.employee } : null
  const { history, refused_records: refused, uploaded_files: files } = EMPLOYEE_EVENTS
  return {
    employee: { erases: Object.keys(employee ?? {}), items: single(employee) },
    history: { erases: ERASED_FIELDS, items: describeEvents(history(pool, person, 0), isErasedWithEmployee) },
    erasures: { erases: [], items: describeEvents(history(pool, person, 0), (event) => !isErasedWithEmployee(event)) },
    refused_records: { erases: ERASED_FIELDS, items: describeEvents(refused(pool, person, 0)) },
    uploaded_files: { erases: ERASED_FIELDS, items: describeEvents(files(pool, person, 0)) },
    calls: { erases: [], items: listCalls(pool, person, traces) },
    mentions: { erases: [], items: describeMentions(pool, person.companyId, person.employeeId) },
  }
}

function readRows(pool: Pool, person: TracedEmployee, traces: Traces) {
  const positions = traces.events.history.map(({ position }) => position)
  return {
    ...readPlaces(EMPLOYEE_ROWS, pool, person),
    webhooks: { erases: [], items: listWebhookRecipients(pool, person.companyId, positions) },
  }
}

/** The sections of the report, in its order. */
const WORDS = {
  employee: {
    title: 'Employee',
    description: 'All current values. They follow from the history below; lists and searches read a copy of them.',
  },
  history: {
    title: 'History',
    description:
      'The events of this employee, with all former values: what was created, changed, deactivated and ' +
      'reactivated, when, and by whom. An erasure deletes their data; that they happened stays.',
  },
  erasures: {
    title: 'Erasures',
    description:
      'The events that record erasures of this person, with the positions of the events that lost their data.',
  },
  refused_records: {
    title: 'Refused records',
    description:
      'Records of refused calls that name this person by an id, a current or former email address, or an external ' +
      'id. A record may be about somebody else and name this person, for example as the manager: check whether it ' +
      'may be handed over.',
  },
  uploaded_files: {
    title: 'Names of uploaded files',
    description: 'Uploaded files whose names contain an id, email address, or external id of this person.',
  },
  calls: {
    title: 'Calls',
    description:
      'The calls that named this person: with a change, in a refused record, in a body that could not be read, or ' +
      'in a record that changed nothing.',
  },
  mentions: {
    title: 'Mentions in the data of others',
    description: "Events of other employees that hold this employee's id, for example as their manager.",
  },
  directory: {
    title: 'Directory',
    description: 'The entry that keeps email addresses, external ids, and user names unique.',
  },
  rejected_bodies: {
    title: 'Bodies that could not be read',
    description:
      'Bodies of refused calls that could not be read, such as malformed JSON. Their calls addressed this person, ' +
      'or they contain an id, email address, or external id of this person. They may also be about others: check ' +
      'whether they may be handed over.',
  },
  failed_calls: {
    title: 'Valid records of failed calls',
    description:
      'Records that were valid in calls that failed because of others, kept for a while so that such a call can be ' +
      'corrected and sent again, if they contain an id, email address, or external id of this person. An erasure ' +
      'deletes all that is kept of these calls.',
  },
  stored_answers: {
    title: 'Stored answers',
    description:
      'Answers to calls, kept for a while so that a repeated call gets the same answer. They repeat values that ' +
      'are listed above. An erasure deletes every answer that may name the person, so some of these may not.',
  },
  webhook_messages: {
    title: 'Messages to webhooks',
    description:
      'The messages of the last 30 days about the events and calls above, with what the receivers answered. A ' +
      'message is not stored: with values, it told what its event holds, otherwise only the names of what changed.',
  },
  stored_files: {
    title: 'Rows of stored files',
    description:
      'Rows of files that were uploaded in the last day and are not applied yet, or were refused, that mention ' +
      'this person, and files whose name or first line does.',
  },
  webhooks: {
    title: 'Webhooks',
    description:
      'The webhooks that were set up to get events of this employee, with or without values, at any time. Messages ' +
      'of the last 30 days are listed above one by one.',
  },
} satisfies Record<string, Pick<Section, 'title' | 'description'>>

type SectionName = keyof typeof WORDS

const CALLS_AT_ONCE = 100

async function* listCalls(
  pool: Pool,
  { companyId, employeeId }: TracedEmployee,
  { events, bodies }: Traces,
): AsyncGenerator<Row[]> {
  const addressing = new Set(events.refused_records.map(({ callId }) => callId))
  const calls = [
    { mentions: events.history, namedIn: 'a change' },
    { mentions: events.refused_records, namedIn: 'a refused record' },
    {
      mentions: bodies.filter(({ callId }) => !addressing.has(callId)),
      namedIn: 'a body that could not be read',
    },
  ]
  for (const { mentions, namedIn } of calls) {
    const callIds = [...new Set(mentions.flatMap(({ callId }) => callId ?? []))]
    for (let at = 0; at < callIds.length; at += CALLS_AT_ONCE) {
      const ends = await readCallEnds(pool, companyId, callIds.slice(at, at + CALLS_AT_ONCE))
      yield ends.flatMap((end) => describeCall(end, namedIn))
    }
  }
  if (employeeId === null) return
  for await (const page of findEventsWith(pool, companyId, employeeId, { types: ['ApiCallCompleted'] }))
    yield page.flatMap((end) => describeCall(end, 'a record that changed nothing'))
}

function describeCall(end: RecordedEvent, namedIn: string): Row[] {
  if ((end.type !== 'ApiCallCompleted' && end.type !== 'ApiCallFailed') || !end.data) return []
  const { operation, requested_at, key } = end.data
  const outcome = end.type === 'ApiCallFailed' ? `failed: ${end.data.code}` : 'completed'
  return [
    { log_id: end.stream, requested_at, operation, outcome, key: key ?? null, actor: end.actor, named_in: namedIn },
  ]
}

async function* describeMentions(pool: Pool, companyId: string, employeeId: string | null): AsyncGenerator<Row[]> {
  if (employeeId === null) return
  for await (const page of findEventsWith(pool, companyId, employeeId, {
    types: ['EmployeeCreated', 'EmployeeUpdated'],
  })) {
    yield page.map(({ position, recorded_at, stream, call_id: logId }) => {
      return { position, recorded_at, employee_id: stream, log_id: logId }
    })
  }
}
