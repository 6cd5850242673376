import type { SessionUser } from '#accounts/users/sessions'
import { listActors, readNames } from '#ledger/read/read-names'
import type { LedgerDb } from '#ledger/tables'
import { buildUrl, EVIDENCE_PATH, NAVIGATION } from '#wording/navigation'
import { renderChoice, renderDayField, renderField, type Choice, renderHidden } from '../parts/form.ts'
import { html, type Html } from '../parts/html.ts'
import { renderSegments } from '../parts/links.ts'
import { EVENT_GROUPS, findTypes, formatTypeName } from './event-groups.ts'
import { formatActor, WITHOUT_ID } from './event-sentence.ts'
import type { EventQuery } from './event-query.ts'

const PATH = NAVIGATION.events.path
/** The keys, and the users, that the form offers. Any other is chosen by following the name in a sentence. */
const ACTORS_OFFERED = 100

/** Renders the filters of the event stream, and links to the export and to the other view. `view` stays as it is. */
export async function renderEventFilter(
  db: LedgerDb,
  { companyId }: SessionUser,
  query: EventQuery,
  view: { view?: string },
): Promise<Html> {
  const { given, problem } = query
  const value = (name: string) => given[name] ?? ''
  const { type: _, ...others } = given
  const kinds = Object.entries({ '': { label: 'All' }, ...EVENT_GROUPS }).map(([type, { label }]) => {
    return { label, href: buildUrl(PATH, { ...others, type, ...view }), isChosen: type === value('type') }
  })
  const optional = { isRequired: false, autocomplete: 'off' }
  const actors = await listActorOptions(db, companyId, value('actor'))
  const isRaw = view.view !== undefined
  const otherView = buildUrl(PATH, { ...given, ...(isRaw ? {} : { view: 'raw' }) })
  const download = Object.keys(given).length > 0 ? 'Download these' : 'Download all events'
  return html`${problem && html`<p class="alert" role="alert">These filters are not valid. Correct the marked fields.</p>`}
    <div class="cluster">
      ${renderSegments('Kind of event', kinds)}
      <p class="tools">
        <a href="${otherView}">${isRaw ? 'Show as sentences' : 'Show as stored'}</a>
        <a href="${buildExportUrl(query)}" download="events.ndjson">${download}</a>
        ${renderEvidenceLink(query)}
      </p>
    </div>
    <form method="get" action="${PATH}" class="filters" aria-label="Filters">
      ${isRaw && renderHidden('view', 'raw')}
      ${renderField({ ...optional, name: 'q', label: 'Text', value: value('q'), maxLength: 254 }, problem)}
      ${renderChoice({ name: 'type', label: 'Type', value: value('type'), options: TYPES }, problem)}
      <details class="folded" ${MORE.some((name) => value(name) !== '') && html`open`}>
        <summary>More filters</summary>
        ${renderChoice({ name: 'actor', label: 'By', value: value('actor'), options: actors }, problem)}
        ${renderField({ ...optional, name: 'id', label: 'ID', value: value('id') }, problem)}
        ${renderDayField({ ...optional, name: 'from', label: 'From', value: value('from') }, problem)}
        ${renderDayField({ ...optional, name: 'to', label: 'To', value: value('to') }, problem)}
      </details>
      <div class="actions">
        <button class="primary">Filter</button>
        ${Object.keys(given).length > 0 && html`<a class="button" href="${buildUrl(PATH, view)}">Clear</a>`}
      </div>
    </form>`
}

/** Folded on narrow screens, unless one of them is set. */
const MORE = ['actor', 'id', 'from', 'to']

/** Builds the address of an export with the same filters. */
function buildExportUrl({ given, filter, between, problem }: EventQuery): string {
  if (problem) return '/audit/v1/events'
  const types = given['type'] === undefined ? undefined : findTypes(given['type'])?.join(',')
  const { actor, text, call, stream } = filter
  return buildUrl('/audit/v1/events', { type: types, actor, q: text, call, stream, ...between })
}

/** Links to an evidence file about a period, an employee, or a call, if that is all that is filtered for. */
function renderEvidenceLink({ given, filter: { call, stream }, problem }: EventQuery): Html {
  const names = Object.keys(given)
  const isPeriod = names.length > 0 && names.every((name) => name === 'from' || name === 'to')
  const isOne = names.length === 1 && (call !== undefined || stream?.startsWith('emp_') === true)
  if (problem || (!isPeriod && !isOne)) return html``
  const subject = isPeriod ? given : call === undefined ? { employee: stream } : { call }
  return html`<a href="${buildUrl(EVIDENCE_PATH, subject)}">Evidence file</a>`
}

const TYPES = [
  { value: '', label: 'Any' },
  ...Object.entries(EVENT_GROUPS).map(([name, { label, types }]) => {
    const all = { value: name, label: `${label}: all` }
    return { label, options: [all, ...types.map((type) => ({ value: type, label: formatTypeName(type) }))] }
  }),
]

async function listActorOptions(db: LedgerDb, companyId: string, value: string): Promise<Choice['options']> {
  const { keys, users } = await listActors(db, companyId, ACTORS_OFFERED)
  const isOffered = value === '' || value in WITHOUT_ID || [...keys, ...users].some(({ id }) => id === value)
  const names = isOffered ? new Map<string, string>() : await readNames(db, companyId, [value])
  const toOption = ({ id, name }: { id: string; name: string }) => ({ value: id, label: name })
  return [
    { value: '', label: 'Anyone' },
    ...(isOffered ? [] : [{ value, label: formatActor(value, names) }]),
    { label: 'Users', options: users.map(toOption) },
    { label: 'API keys', options: keys.map(toOption) },
    { label: 'Others', options: Object.entries(WITHOUT_ID).map(([id, name]) => toOption({ id, name })) },
  ]
}
