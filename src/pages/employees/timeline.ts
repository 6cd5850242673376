import { inTurns } from '#admission/turns'
import type { SessionUser } from '#accounts/users/sessions'
import { formatAttributeName, renderShortChange, renderShortValue, listAttributes } from '#pages/parts/attribute-values'
import { isolate, html, renderSegments, renderEmpty } from '#pages/parts/elements'
import { formatNumber } from '#wording/numbers'
import { type EmployeeStreamEvent, isEmployeeEvent, formatFullName } from '#domain/employees/employee'
import { isId } from '#domain/ids'
import { changesOf } from '#domain/employees/employee-history'
import { readEvent } from '#ledger/integrity/codec'
import { readNames } from '#ledger/read/read-names'
import { readStreamBackwards } from '#ledger/read/read-events'
import type { LedgerDb } from '#ledger/tables'
import { renderMoments } from '#pages/charts/moments-line'
import { renderStream } from '#pages/events/events-page'
import { renderActorLink } from '#pages/events/event-sentence'
import { renderCallWord } from '#pages/events/event-values'
import { buildUrl, NAVIGATION } from '#wording/navigation'
import { renderPageLinks } from '#pages/parts/list-pages'

/** Changes on a page: at least one event, and no further one once there are as many. */
const CHANGES_PER_PAGE = 50
const EVENTS_AT_ONCE = 100
/** The events that a page searches for changes of one attribute. */
const MAX_EVENTS_SEEN = 2_000

/** A line of an employee's history: an attribute that was set or changed, or the event as a whole. */
interface Change {
  event: EmployeeStreamEvent
  /** Null for an event shown as a whole: the creation, an erasure, or an event whose data were erased. */
  attribute: { name: string; from: unknown; to: unknown; isFirst: boolean } | null
}

/** A page of an employee's history, newest first. */
interface Timeline {
  changes: Change[]
  /** The version from which an older page goes back, itself excluded; null at the end. */
  older: number | null
}

/** What a page of a history shows: events below a version, and changes of one attribute alone if it is named. */
interface TimelinePlace {
  before: number | null
  attribute: string | null
}

/** Reads a page of an employee's history, from a limited number of events. */
export async function readTimeline(db: LedgerDb, companyId: string, id: string, { before, attribute }: TimelinePlace) {
  const changes: Change[] = []
  let reached = before
  for (let seen = 0; seen < MAX_EVENTS_SEEN;) {
    const rows = await readStreamBackwards(db, companyId, { stream: id, before: reached, limit: EVENTS_AT_ONCE })
    if (rows.length === 0) return { changes, older: null }
    for await (const row of inTurns(rows)) {
      const event = readEvent(row)
      if (!isEmployeeEvent(event)) continue
      for (const change of listChanges(event, attribute)) changes.push(change)
      reached = event.version
      if (reached === 1) return { changes, older: null }
      if (changes.length >= CHANGES_PER_PAGE) return { changes, older: reached }
    }
    seen += rows.length
  }
  return { changes, older: reached }
}

/** Lists what an event set or changed: everything, or one attribute. */
function listChanges(event: EmployeeStreamEvent, attribute: string | null): Change[] {
  const whole: Change[] = attribute === null ? [{ event, attribute: null }] : []
  if (event.type === 'EmployeeErased' || event.data === null) return whole
  if (event.type === 'EmployeeCreated') {
    if (attribute === null) return whole
    return listAttributes(event.data.attributes)
      .filter(([name]) => name === attribute)
      .map(([name, to]) => ({ event, attribute: { name, from: null, to, isFirst: true } }))
  }
  return Object.entries(changesOf(event))
    .filter(([name]) => attribute === null || name === attribute)
    .map(([name, change]) => ({ event, attribute: { name, ...change, isFirst: false } }))
}

/** What the page of a history links to. */
interface TimelineLinks {
  /** The address of the page at the moment that it shows, with other parameters. */
  buildHref(values: Record<string, string | number | undefined>): string
  place: TimelinePlace
  /** The attributes that the links above the history offer. */
  offered: readonly string[]
}

/** Renders a page of a history in sentences, with links that narrow it to one attribute. */
export async function renderTimeline(
  db: LedgerDb,
  viewer: SessionUser,
  { changes, older }: Timeline,
  links: TimelineLinks,
) {
  const { place, buildHref } = links
  const attribute = place.attribute ?? undefined
  const names = await readNames(db, viewer.companyId, changes.flatMap(listNamedIds))
  const label = attribute === undefined ? 'Changes' : `Changes of ${formatAttributeName(attribute)}`
  const rows = changes.map((change) => {
    const { recorded_at: at, actor, position } = change.event
    const call = renderCallWord(change.event, viewer)
    const by = html`<span class="by">, by ${renderActorLink(actor, names)} ${call}</span>`
    return { at, what: html`${renderChange(change, names, links)}${by}`, position }
  })
  const caption = `${label}, newest first`
  const table = renderStream({ caption, heading: 'Change', rows }, viewer.timeZone)
  const none = older === null ? 'No change found.' : 'No change found among the events searched so far.'
  const moments = [...new Map(changes.map(({ event }) => [event.position, event.recorded_at])).values()]
  return html`${renderAttributeLinks(links)} ${renderMoments(moments, viewer.timeZone)}
  ${changes.length === 0 ? renderEmpty(none) : table}
  ${renderPageLinks(
    [
      { label: 'Newest', rel: 'first', href: place.before === null ? null : buildHref({ attribute }) },
      { label: 'Older', rel: 'next', href: older === null ? null : buildHref({ attribute, before: older }) },
    ],
    'Pages of the history',
  )}`
}

function listNamedIds({ event, attribute }: Change) {
  return [event.actor, ...[attribute?.from, attribute?.to].filter((value) => isId('emp', value))]
}

function renderAttributeLinks({ offered, place, buildHref }: TimelineLinks) {
  const isOffered = place.attribute === null || offered.includes(place.attribute)
  const names = isOffered ? offered : [...offered, place.attribute!]
  const segments = [undefined, ...names].map((attribute) => ({
    label: isolate(attribute === undefined ? 'All' : formatAttributeName(attribute)),
    href: buildHref({ attribute }),
    isChosen: (attribute ?? null) === place.attribute,
  }))
  return renderSegments('Attribute', segments)
}

function renderChange({ event, attribute }: Change, names: ReadonlyMap<string, string>, { buildHref }: TimelineLinks) {
  if (attribute === null) return renderWholeEvent(event)
  const { name, to, isFirst } = attribute
  return html`<a class="actor" href="${buildHref({ attribute: name })}">${isolate(formatAttributeName(name))}</a>:
    ${isFirst ? html`${renderShortValue(to, names)}, at creation` : renderShortChange(attribute, names)}`
}

function renderWholeEvent(event: EmployeeStreamEvent) {
  if (event.type === 'EmployeeErased') return html`<strong>Erased</strong>`
  if (event.data === null)
    return html`${event.type === 'EmployeeCreated' ? 'Created' : 'Changed'} <span class="hint">(data erased)</span>`
  if (event.type !== 'EmployeeCreated') return html`${event.type}`
  const { attributes } = event.data
  const count = formatNumber(listAttributes(attributes).length)
  return html`<strong>Created</strong> as ${isolate(formatFullName(attributes))} with ${count} attributes`
}

/** Reads the place in an address; anything malformed means the newest page. */
export function readTimelinePlace({ attribute = '', before = '' }: Readonly<Record<string, string>>) {
  return {
    attribute: attribute === '' ? null : attribute,
    before: /^[1-9]\d{0,8}$/.test(before) ? Number(before) : null,
  }
}

/** Builds the address of an employee's page with the moment that it shows. */
export function buildTimelineHref(id: string, at: string): TimelineLinks['buildHref'] {
  return (values) => buildUrl(`${NAVIGATION.employees.path}/${id}`, { at, ...values })
}
