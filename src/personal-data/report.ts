import type { RecordedEvent } from '#domain/events'
import { toUuid } from '#domain/ids'
import { changeCompany, type Acting, type CompanyServices } from '#accounts/change-company'
import { nextVersion } from '#ledger/append/append-company-events'
import type { Row } from './places.ts'

/** What is held about a person in one kind of place. */
export interface Section {
  /** The key in JSON. */
  name: string
  title: string
  /** What stands here, in sentences. */
  description: string
  /** The fields that the person's erasure deletes. An item that has no others is deleted as a whole. */
  erases: readonly string[]
  /** Page by page; a page may be empty. */
  items: AsyncIterable<readonly Row[]>
}

/** What is held about a person. Its sections are read while it is written. */
export interface Report {
  title: string
  subject: Pick<ReportSubject, 'id'> & { reportedAt: string; position: number | null }
  facts: Row
  sections: readonly Section[]
}

/** Who a report is about: the id of an employee or a user, or null for a person who appears only in refused records. */
interface ReportSubject {
  id: string | null
  /** The current name; undefined of somebody who has none, or was erased. */
  name: string | undefined
  /** Whether somebody asks for the report about themselves, which everyone may do. */
  isActor: boolean
}

/** A report without what it says about the person. */
type Beginning = Pick<Report, 'title' | 'subject' | 'facts'>

/**
 * Records that somebody gets a report, before anything is read for it, and returns its beginning. Throws
 * RefusedByStateError, as all changes do.
 */
export async function beginReport(
  services: CompanyServices,
  acting: Acting,
  { id, name, isActor }: ReportSubject,
): Promise<Beginning> {
  const { companyId, actor } = acting
  const needs = isActor ? 'any role' : 'admin'
  const reported = await changeCompany(services, acting, needs, async ({ connection, now }) => {
    const version = await nextVersion(connection, companyId, companyId)
    const text = 'select name from companies where company_id = $1'
    const { rows } = await connection.query<{ name: string }>(text, [toUuid(companyId)])
    const place = { stream: companyId, version, index: null }
    const event = { ...place, type: 'PersonalDataReported', data: { subject_id: id } } as const
    return { events: [event], result: { company: rows[0]!.name, reportedAt: now } }
  })
  const { company, reportedAt, position } = reported
  return {
    title: `What ${company} holds about ${name ?? id ?? 'a person'}`,
    subject: { id, reportedAt, position },
    facts: { company, company_id: companyId, reported_at: reportedAt, reported_by: actor, position },
  }
}

/** The fields of an event that an erasure deletes. */
export const ERASED_FIELDS = ['data'] as const

/** Describes an event as an item. Its data are null if they were erased. */
function describeEvent(event: RecordedEvent): Row {
  const { position, recorded_at, type, stream, actor, call_id: logId, index, data } = event
  return { position, recorded_at, type, stream, actor, log_id: logId, index, data }
}

/** Maps pages of events to items, leaving out those for which a condition does not hold. */
export async function* describeEvents(
  pages: AsyncIterable<RecordedEvent[]>,
  isWanted: (event: RecordedEvent) => boolean = () => true,
): AsyncGenerator<Row[]> {
  for await (const page of pages) yield page.filter(isWanted).map(describeEvent)
}

/** A section with a single item, or none. */
export async function* single(item: Row | null): AsyncGenerator<Row[]> {
  if (item) yield [item]
}
