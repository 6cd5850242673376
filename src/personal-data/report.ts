import type { RecordedEvent } from '#domain/events'
import { toUuid } from '#domain/ids'
import { changeCompany, type Acting, type CompanyServices } from '#accounts/change-company'
import { nextVersion } from '#ledger/append/append-company-events'
import type { Queryable } from '#postgres/pool'
import type { Row, RowPlace } from './places.ts'
import { html, raw } from 'hono/html'
import { inTurns } from '#admission/turns'

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

/** Reads the rows of places, each with what an erasure deletes of them. */
export function readPlaces<Name extends string, Person>(
  places: Readonly<Record<Name, RowPlace<Person>>>,
  db: Queryable,
  person: Person,
) {
  const sections = Object.entries<RowPlace<Person>>(places).map(([name, place]) => {
    return [name, { erases: place.erases, items: place.read(db, person) }]
  })
  return Object.fromEntries(sections) as Record<Name, Pick<Section, 'erases' | 'items'>>
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

/** Writes a report as JSON, page by page. */
export async function* writeJson({ title, facts, sections }: Report): AsyncGenerator<string> {
  yield `{"title":${JSON.stringify(title)},"facts":${JSON.stringify(facts)},"sections":{`
  for (const [at, { name, title, description, erases, items }] of sections.entries()) {
    const head = JSON.stringify({ title, description, erases })
    yield `${at === 0 ? '' : ','}\n${JSON.stringify(name)}:${head.slice(0, -1)},"items":[`
    let isFirst = true
    for await (const page of items) {
      if (page.length === 0) continue
      yield `${isFirst ? '' : ','}\n${page.map((item) => JSON.stringify(item)).join(',\n')}`
      isFirst = false
    }
    yield ']}'
  }
  yield '\n}}\n'
}

type Html = ReturnType<typeof html>

/** The policy of a page that people open as a file: everything is in the file itself, and it may load nothing. */
export const FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
const STYLE = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1b1b1b;
    background: #fff; overflow-wrap: anywhere }
  h2 { margin-top: 2.5rem; border-bottom: 1px solid #767676 }
  ol.items { list-style: none; padding: 0 }
  ol.items > li { border-bottom: 1px solid #ccc; padding: .5rem 0; break-inside: avoid }
  dl { display: grid; grid-template-columns: minmax(7rem, max-content) 1fr; gap: 0 1rem; margin: 0 }
  dt { color: #555 } dd { margin: 0 } dd ul, dd ol { margin: 0; padding-left: 1.2rem }
  @media (max-width: 40rem) { dl { grid-template-columns: 1fr } dd { padding-left: 1rem } }
  @media print { body { max-width: none; margin: 0; font-size: 11pt } }`

/** Writes a report as a page that can be read, printed, and handed over without anything else, section by section. */
export async function* writeHtml({ title, facts, sections }: Report): AsyncGenerator<string> {
  yield (
    await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="content-security-policy" content="${FILE_POLICY}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <style>
          ${raw(STYLE)}
        </style>
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          <p>
            This page lists what the service stores about one person, place by place,
              and for each place, what an erasure
            of the person deletes. Backups and files that were exported earlier are not part of it.
          </p>
          ${renderFields(facts)}
          <nav aria-label="Sections">
            <ul>
              ${sections.map((section) => html`<li><a href="#${section.name}">${section.title}</a></li>`)}
            </ul>
          </nav>
        `
  ).toString()
  for (const section of sections) yield* writeSection(section)
  yield '</main></body></html>\n'
}

async function* writeSection({ name, title, description, erases, items }: Section): AsyncGenerator<string> {
  const heading = html`<section aria-labelledby="${name}">
    <h2 id="${name}">${title}</h2>
    <p>${description}</p> `
  yield (await heading).toString()
  let isEmpty = true
  for await (const page of items) {
    if (page.length === 0) continue
    if (isEmpty) yield (await html`<p>${describeErasure(erases, page[0]!)}</p>`).toString() + '<ol class="items">'
    const entries: string[] = []
    for await (const item of inTurns(page)) entries.push((await html`<li>${renderFields(item)}</li>`).toString())
    yield entries.join('')
    isEmpty = false
  }
  yield `${isEmpty ? '<p>Nothing is held here.</p>' : '</ol>'}</section>\n`
}

const AND = new Intl.ListFormat('en-GB')

function describeErasure(erases: readonly string[], item: Row) {
  if (erases.length === 0) return 'An erasure of the person deletes none of this.'
  if (Object.keys(item).every((name) => erases.includes(name))) return 'An erasure of the person deletes all of this.'
  return `An erasure of the person deletes: ${AND.format(erases.map(formatName))}.`
}

/** Formats the name of a field: `recorded_at` as “recorded at”. */
function formatName(name: string) {
  return name.replaceAll('_', ' ')
}

function renderFields(fields: Row, depth = 0): Html {
  return html`<dl>
    ${Object.entries(fields).map(
      ([name, value]) =>
        html`<dt><bdi>${formatName(name)}</bdi></dt>
          <dd>${renderValue(value, depth)}</dd>`,
    )}
  </dl>`
}

/** Values that are nested deeper are written as JSON. */
const MAX_DEPTH = 4
const INSTANT = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/

function renderValue(value: unknown, depth: number): Html {
  if (value === null || value === undefined) return html`—`
  if (typeof value === 'string') return html`<bdi>${value.replace(INSTANT, '$1 $2 UTC')}</bdi>`
  if (typeof value === 'boolean') return html`${value ? 'yes' : 'no'}`
  if (typeof value !== 'object') return html`${JSON.stringify(value)}`
  const values = Object.entries(value)
  if (values.length === 0) return html`—`
  if (depth >= MAX_DEPTH) return html`<code>${JSON.stringify(value)}</code>`
  if (Array.isArray(value))
    return html`<ul>${value.map((inner) => html`<li>${renderValue(inner, depth + 1)}</li>`)}</ul>`
  if (values.length === 2 && 'from' in value && 'to' in value)
    return html`${renderValue(value.from, depth + 1)} → ${renderValue(value.to, depth + 1)}`
  return renderFields(value as Row, depth + 1)
}
