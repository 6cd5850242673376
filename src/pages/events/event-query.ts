import { omitUndefined } from '#domain/omit-undefined'
import { fieldError, invalidFields } from '#domain/errors'
import { STREAM_PREFIXES, EVENT_TYPES, isEventType, type StreamPrefix } from '#domain/event-types'
import { isId } from '#domain/ids'
import type { EventPlace } from '#ledger/read/browse-events'
import type { EventFilter } from '#ledger/read/event-filter'
import { isStorableText } from '#domain/storable-text'
import type { SessionUser } from '#accounts/users/sessions'
import { listActors, readNames } from '#ledger/read/read-names'
import type { LedgerDb } from '#ledger/tables'
import { buildUrl, EVIDENCE_PATH, NAVIGATION } from '#wording/navigation'
import {
  pickFields,
  readFormFields,
  type FormFields,
  type FormProblem,
  checkPeriod,
  readPeriod,
  renderOptional,
  renderHidden,
  type FormControl,
} from '#pages/parts/form'
import { html, renderSegments, renderButton, renderAlert } from '#pages/parts/elements'
import { WITHOUT_ID, formatActor } from './event-sentence.ts'
import type { EventType } from '#domain/events'

type Group = keyof typeof LABELS

const LABELS = {
  calls: 'Calls',
  employees: 'Employees',
  keys: 'API keys',
  webhooks: 'Webhooks',
  users: 'Users',
  signIns: 'Sign-ins',
  providers: 'Identity provider',
  company: 'Company',
}

const OF_STREAM: Record<StreamPrefix, Group> = {
  log: 'calls',
  emp: 'employees',
  key: 'keys',
  whk: 'webhooks',
  usr: 'users',
  idp: 'providers',
  com: 'company',
}

const SIGN_INS: readonly EventType[] = ['UserSignedIn', 'UserSignedOut', 'UserSessionsEnded', 'UserSignInFailed']

function findGroup(type: EventType) {
  return SIGN_INS.includes(type) ? 'signIns' : OF_STREAM[EVENT_TYPES[type].stream]
}

/** The groups of event types that the event stream can be narrowed to. Each type is in one of them. */
export const EVENT_GROUPS: Readonly<Record<string, { label: string; types: readonly EventType[] }>> =
  Object.fromEntries(
    Object.entries(LABELS).map(([group, label]) => {
      const types = Object.keys(EVENT_TYPES).filter(isEventType)
      return [group, { label, types: types.filter((type) => findGroup(type) === group) }]
    }),
  )

/** Finds the event types that a value of the filter stands for: a group, or one type. Null for anything else. */
function findTypes(value: string) {
  if (Object.hasOwn(EVENT_GROUPS, value)) return EVENT_GROUPS[value]!.types
  return isEventType(value) ? [value] : null
}

/** Formats the name of an event type as words: `Api key issued`. */
function formatTypeName(type: string) {
  const words = type.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.replace(/^Api /, 'API ')
}

/** The filters of the event stream in an address. */
const FILTERS = ['type', 'actor', 'id', 'from', 'to', 'q'] as const
/** The place in the list: the newest position of the page or, in links to newer events, the oldest. */
const PLACES = ['position', 'newer_from'] as const
const MAX_TEXT_CHARACTERS = 254

/** The query of an event stream's page. */
export interface EventQuery {
  /** The filters by name as given, neither checked nor normalized. */
  given: FormFields
  filter: EventFilter
  /** Instants, RFC 3339: from the first, before the second. */
  between: { from?: string; to?: string }
  place: EventPlace
  /** What is wrong with the address, by field. Then the filters mean nothing. */
  problem: FormProblem
}

/** Reads an address. Days and times are in the company's time zone; a day in `to` is included. */
export function readEventQuery(query: unknown, timeZone: string) {
  const texts = readFormFields(query)
  const [given, places] = [pickFields(texts, FILTERS), pickFields(texts, PLACES)]
  const errors = [
    ...checkPeriod(given),
    ...Object.entries({ ...given, ...places }).flatMap(([name, text]) => findError(name, text) ?? []),
  ]
  if (errors.length > 0) return { ...NOTHING, given, problem: invalidFields(errors) }
  const { type, actor, id, q } = given
  const types = type === undefined ? null : findTypes(type)
  return {
    given,
    filter: {
      ...(types ? { types } : {}),
      ...omitUndefined({ actor, text: q }),
      ...(id === undefined ? {} : isId('log', id) ? { call: id } : { stream: id }),
    },
    between: readPeriod(given, timeZone),
    place: readPlace(places),
    problem: null,
  }
}

const NOTHING = { filter: {}, between: {}, place: { upTo: Number.MAX_SAFE_INTEGER } }

function readPlace({ position, newer_from: newerFrom }: FormFields) {
  if (newerFrom !== undefined) return { from: Number(newerFrom) }
  return { upTo: position === undefined ? Number.MAX_SAFE_INTEGER : Number(position) }
}

/** Checks one value. Returns its error, or null. */
function findError(name: string, text: string) {
  const check = CHECKS[name]
  return !check || check.holds(text) ? null : fieldError(`/${name}`, 'invalid_value', `${name} ${check.rule}`)
}

const POSITION = { holds: isPosition, rule: 'must be a whole number from 1' }
const CHECKS: Record<string, { holds(text: string): boolean; rule: string }> = {
  type: { holds: (text) => findTypes(text) !== null, rule: 'must be an event type' },
  actor: {
    holds: (text) => isId('key', text) || isId('usr', text) || Object.hasOwn(WITHOUT_ID, text),
    rule: 'must be the ID of an API key or a user',
  },
  id: {
    holds: (text) => STREAM_PREFIXES.some((prefix) => isId(prefix, text)),
    rule: 'must be the ID of an employee, a call, an API key, a webhook, a user or the company',
  },
  q: {
    holds: (text) => [...text].length <= MAX_TEXT_CHARACTERS && isStorableText(text),
    rule: `must have at most ${MAX_TEXT_CHARACTERS} characters, and none that can't be stored`,
  },
  position: POSITION,
  newer_from: POSITION,
}

/** Whether a text is a ledger position, from 1. */
export function isPosition(text: string) {
  return /^[1-9][0-9]{0,14}$/.test(text)
}

const PATH = NAVIGATION.events.path
/** The keys, and the users, that the form offers. Any other is chosen by following the name in a sentence. */
const ACTORS_OFFERED = 100

/** Renders the filters of the event stream, and links to the export and to the other view. `view` stays as it is. */
export async function renderEventFilter(
  db: LedgerDb,
  { companyId }: SessionUser,
  query: EventQuery,
  view: { view?: string },
) {
  const { given, problem } = query
  const { type: chosen = '', ...others } = given
  const kinds = Object.entries({ '': { label: 'All' }, ...EVENT_GROUPS }).map(([type, { label }]) => {
    return { label, href: buildUrl(PATH, { ...others, type, ...view }), isChosen: type === chosen }
  })
  // Folded on narrow screens, unless one of them is set.
  const more: FormControl[] = [
    { name: 'actor', label: 'By', options: await listActorOptions(db, companyId, given['actor'] ?? '') },
    { name: 'id', label: 'ID' },
    { name: 'from', label: 'From', type: 'moment' },
    { name: 'to', label: 'To', type: 'moment' },
  ]
  const isRaw = view.view !== undefined
  const otherView = buildUrl(PATH, { ...given, ...(isRaw ? {} : { view: 'raw' }) })
  const download = Object.keys(given).length > 0 ? 'Download these' : 'Download all events'
  const alert = renderAlert('These filters are not valid. Correct the marked fields.')
  return html`${problem && alert}
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
      ${renderOptional(FIRST, given, problem)}
      <details class="folded" ${more.some(({ name }) => name in given) && html`open`}>
        <summary>More filters</summary>
        ${renderOptional(more, given, problem)}
      </details>
      <div class="actions">
        <button class="primary">Filter</button>
        ${Object.keys(given).length > 0 && renderButton(buildUrl(PATH, view), 'Clear')}
      </div>
    </form>`
}

/** Builds the address of an export with the same filters. */
function buildExportUrl({ given, filter, between, problem }: EventQuery) {
  if (problem) return '/audit/v1/events'
  const types = given['type'] === undefined ? undefined : findTypes(given['type'])?.join(',')
  const { actor, text, call, stream } = filter
  return buildUrl('/audit/v1/events', { type: types, actor, q: text, call, stream, ...between })
}

/** Links to an evidence file about a period, an employee, or a call, if that is all that is filtered for. */
function renderEvidenceLink({ given, filter: { call, stream }, problem }: EventQuery) {
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

const FIRST: readonly FormControl[] = [
  { name: 'q', label: 'Text', maxLength: MAX_TEXT_CHARACTERS },
  { name: 'type', label: 'Type', options: TYPES },
]

async function listActorOptions(db: LedgerDb, companyId: string, value: string) {
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
