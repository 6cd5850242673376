import { isOperation, OPERATIONS, rulesOf } from '#domain/operations'
import { buildUrl } from '#wording/navigation'
import {
  renderChoice,
  renderOptional,
  renderField,
  toSentence,
  type FormFields,
  type Option,
  renderHidden,
  checkForm,
  pickFields,
  readFormFields,
  toFormProblem,
  type FormProblem,
  checkPeriod,
  readPeriod,
  describeZone,
} from '#pages/parts/form'
import { capitalise } from '#pages/parts/call-words'
import { describeCode } from '#wording/attention-words'
import { isolate, html, type Html, renderChip, renderSegment } from '#pages/parts/elements'
import { databaseTimeMs } from '#postgres/database-clock'
import type { EntryFilter, EntryCount, ValueFilter } from '#projections/bulk-user-logs/queries'
import { fieldError, invalidFields } from '#domain/errors'
import { isId } from '#domain/ids'
import { readEntryFilter, EntryExportQuery } from '#log/bulk-user-logs-schemas'
import { DAY_MS, HOUR_MS } from '#domain/local-times'
import type { EntryGroup, EntryGroups } from '#projections/bulk-user-logs/usage-queries'
import { formatAtLeast } from '#wording/numbers'

/** The filters whose values have counts. */
type Facet = keyof ValueFilter
const FACETS = Object.keys({
  status: true,
  operation: true,
  source: true,
  key: true,
  error: true,
  http_status: true,
} satisfies Record<Facet, true>) as Facet[]

/** How many entries each value of a filter would find, beside the other filters. */
export interface Facets {
  /** By value; the sum of all is that of the empty value. */
  counts: Record<Facet, ReadonlyMap<string, number>>
  /** The entries that match; null if a filter may find most of them among those that are not grouped. */
  count: EntryCount | null
  /** The sums of their counts, as far as they are grouped. */
  totals: EntryGroup['counts']
  isMore: boolean
}

/** Counts the values of each filter among groups of entries. */
export function countFacets({ groups, isMore }: EntryGroups, filter: EntryFilter) {
  const matches = (group: EntryGroup, except?: Facet) =>
    FACETS.every((facet) => facet === except || filter[facet] === undefined || filter[facet] === group[facet])
  const countBy = (facet: Facet) => {
    const counts = new Map([['', 0]])
    for (const group of groups.filter((candidate) => matches(candidate, facet)))
      for (const value of ['', group[facet]])
        if (value !== null) counts.set(String(value), (counts.get(String(value)) ?? 0) + group.entries)
    return counts
  }
  const totals = { total: 0, updated: 0, deactivated: 0, failed: 0, no_updates: 0 }
  const matching = groups.filter((group) => matches(group))
  const count = matching.reduce((sum, group) => sum + group.entries, 0)
  const isNarrowed = FACETS.some((facet) => filter[facet] !== undefined)
  for (const { counts } of matching)
    for (const name of Object.keys(totals) as (keyof typeof totals)[]) totals[name] += counts[name]
  const counts = Object.fromEntries(FACETS.map((facet) => [facet, countBy(facet)])) as Record<
    Facet,
    Map<string, number>
  >
  return { counts, count: isMore && isNarrowed ? null : { count, isMore }, totals, isMore }
}

/** Formats the count of a value, such as `1,204`; empty if it was not counted. */
function formatFacet(facets: Facets | null, facet: Facet, value: string) {
  if (facets === null) return ''
  return formatAtLeast(facets.counts[facet].get(value) ?? 0, facets.isMore)
}

/** The filters of the address: those of the list, and a length of time up to now. */
type FilterName = keyof EntryFilter | 'last'

/** How the form has each filter: as a field, or as a hidden one, which keeps what a link has set. */
const IN_FORM: Record<FilterName, 'field' | 'hidden'> = {
  status: 'hidden',
  operation: 'field',
  source: 'field',
  key: 'field',
  error: 'field',
  http_status: 'field',
  last: 'hidden',
  from: 'field',
  to: 'field',
  employee: 'hidden',
  q: 'field',
}
const NAMES = Object.keys(IN_FORM) as FilterName[]
const HIDDEN = NAMES.filter((name) => IN_FORM[name] === 'hidden')

/** The filters in a page's address. */
export interface PageFilter {
  /** The values by name, neither checked nor normalized. */
  given: FormFields
  /** Null when a value is not valid. */
  filter: EntryFilter | null
  problem: FormProblem
}

/** Times up to now, by their value in the address. */
const LAST: Readonly<Record<string, { label: string; short: string; ms: number }>> = {
  '1h': { label: 'Last hour', short: 'Last hour', ms: HOUR_MS },
  '24h': { label: 'Last 24 hours', short: '24 h', ms: DAY_MS },
  '7d': { label: 'Last 7 days', short: '7 days', ms: 7 * DAY_MS },
}

/**
 * Reads the filters in an address. Days and times are in the company's time zone; a day in `to` is included. `last` is
 * dropped beside `from` or `to`: who enters a range means that.
 */
export function readPageFilter(query: unknown, timeZone: string): PageFilter {
  const texts = pickFields(readFormFields(query), NAMES)
  const { last: _, ...withoutLast } = texts
  const { from, to, ...others } = withoutLast
  const given = from === undefined && to === undefined ? texts : withoutLast
  const faults = [...checkPeriod(given), checkKeyId(given['key']), checkLast(given['last'])].filter(
    (fault) => fault !== null,
  )
  try {
    const period = faults.length === 0 ? { ...readLast(given['last']), ...readPeriod(given, timeZone) } : {}
    const checked = checkForm(EntryExportQuery, toQuery({ ...others, ...period }))
    if (faults.length > 0) return { given, filter: null, problem: invalidFields(faults) }
    return { given, filter: readEntryFilter(checked), problem: null }
  } catch (error) {
    const problem = toFormProblem(error)
    // All errors are shown together.
    const together = faults.length === 0 ? problem : invalidFields([...faults, ...problem.errors])
    return { given, filter: null, problem: together }
  }
}

function readLast(last: string | undefined) {
  return last === undefined ? {} : { from: new Date(databaseTimeMs() - LAST[last]!.ms).toISOString() }
}

/** Reads the numbers among the texts of an address. */
function toQuery({ http_status: status, ...texts }: FormFields): unknown {
  return status === undefined ? texts : { ...texts, http_status: Number(status) }
}

function checkKeyId(key: string | undefined) {
  return key === undefined || isId('key', key)
    ? null
    : fieldError('/key', 'invalid_format', 'key must be the ID of an API key')
}

function checkLast(last: string | undefined) {
  return last === undefined || Object.hasOwn(LAST, last)
    ? null
    : fieldError('/last', 'invalid_value', `last must be one of ${Object.keys(LAST).join(', ')}`)
}

/** What the filter bar needs beside the filters. */
interface Surroundings {
  keys: readonly { id: string; name: string }[]
  /** The path of the list. */
  path: string
  timeZone: string
  /** The chart of the calls; null if there is none. */
  chart: Html | null
  /** The refused records by cause and by key, beside the chart; null if there are none. */
  refused: Html | null
  /** How many entries the values of filters find; null if they were not counted. */
  facets: Facets | null
}

/** Renders the search box, the filters as links and lists, the filters that are set, and the chart. */
export function renderFilterBar(
  pageFilter: PageFilter,
  { keys, path, timeZone, chart, refused, facets }: Surroundings,
) {
  const { given, problem } = pageFilter
  const value = (name: FilterName) => given[name] ?? ''
  const keyOptions = keys.map(({ id, name }) => ({ value: id, label: name }))
  if (value('key') !== '' && !keys.some(({ id }) => id === value('key')))
    keyOptions.push({ value: value('key'), label: value('key') })
  const valuesOf = (name: Facet) =>
    [...new Set([...(facets?.counts[name].keys() ?? []), value(name)])].filter((text) => text !== '')
  const operations = Object.entries(OPERATIONS).map(([value, { label }]) => ({ value, label }))
  const sources = valuesOf('source')
    .toSorted()
    .map((source) => ({ value: source, label: source }))
  const causes = valuesOf('error').map((code) => ({ value: code, label: capitalise(describeCode(code)) }))
  const statuses = valuesOf('http_status')
    .toSorted()
    .map((status) => ({ value: status, label: status }))
  const list = (name: Facet, label: string, any: string, options: readonly Option[]) => {
    const counted = options.map((option) => {
      const count = formatFacet(facets, name, option.value)
      return count === '' ? option : { ...option, label: `${option.label} (${count})` }
    })
    return renderChoice({ name, label, value: value(name), options: [{ value: '', label: any }, ...counted] }, problem)
  }
  const kept = HIDDEN.filter((name) => value(name) !== '')
  const link = (change: FormFields) => buildUrl(path, { ...given, ...change })
  const segmentOfStatus = (status: string) => {
    const label = html`${status || 'All'} <span class="facet">${formatFacet(facets, 'status', status)}</span>`
    // Completed calls have neither.
    const without = status === 'Completed' ? { error: '', http_status: '' } : {}
    return renderSegment({ label, href: link({ status, ...without }), isChosen: value('status') === status })
  }
  const isAnyTime = !['last', 'from', 'to'].some((name) => name in given)
  const segmentOfTime = ([last, { short }]: [string, { short: string }]) =>
    renderSegment({ label: short, href: link({ last, from: '', to: '' }), isChosen: value('last') === last })
  const search = {
    name: 'q',
    label: 'Search',
    type: 'search',
    value: value('q'),
    isRequired: false,
    maxLength: 254,
    placeholder: 'Person, employee ID, log ID, request ID, API key or error code',
  } as const
  return html`${renderAlert(pageFilter)}
    <form method="get" action="${path}" class="finding" role="search" aria-label="Entries">
      <div class="tools find-line">
        ${renderField(search, problem)}
        <details class="folded">
        <summary>Filters</summary>
        ${list('operation', 'Operation', 'Any operation', operations)}
        ${(sources.length >= 2 || value('source') !== '') && list('source', 'Name', 'Any name', sources)}
        ${list('key', 'API key', 'Any API key', keyOptions)}
        ${causes.length !== 0 && list('error', 'Cause', 'Any cause', causes)}
        ${statuses.length !== 0 && list('http_status', 'HTTP status', 'Any HTTP status', statuses)}
        </details>
        ${kept.map((name) => renderHidden(name, value(name)))}
        <button class="primary">Search</button>
      </div>
      <div class="cluster narrowing">
        <div class="tools" role="group" aria-label="Status">
          ${['', 'Completed', 'Failed'].map(segmentOfStatus)}
        </div>
        <div class="tools" role="group" aria-label="Time">
          ${renderSegment({ label: 'Any time', href: link({ last: '', from: '', to: '' }), isChosen: isAnyTime })}
          ${Object.entries(LAST).map(segmentOfTime)}
          ${renderRange(pageFilter, timeZone)}
        </div>
      </div>
      ${
        chart !== null &&
        html`<details class="folded">
          <summary>Chart</summary>
          ${chart} ${refused !== null && renderRefused(refused)}
        </details>`
      }
      ${renderChips(pageFilter, keyOptions, path)}
    </form>`
}

/** Renders bars of refused records. Beside the chart they are folded where they would take the room of rows. */
function renderRefused(bars: Html) {
  return html`<details class="folded-when-low">
    <summary>Refused by cause</summary>
    <div class="charts">${bars}</div>
  </details>`
}

/** Lists the errors of filters that have no input to show them at. */
function renderAlert({ given, problem }: PageFilter) {
  if (!problem) return html``
  const faults = HIDDEN.filter((name) => name in given)
    .map((name) => ({ name, message: findMessage(problem, name) }))
    .filter(({ message }) => message !== undefined)
  return html`<div class="alert" role="alert">
    ${problem.errors.length > 0 ? 'These filters are not valid. Correct or remove them.' : toSentence(problem.detail)}
    ${faults.map(({ name, message }) => html`<p class="fault" id="${name}-fault">${toSentence(message!)}</p>`)}
  </div>`
}

function findMessage(problem: PageFilter['problem'], name: string) {
  return problem?.errors.find(({ pointer }) => pointer === `/${name}`)?.message
}

function renderRange({ given, problem }: PageFilter, timeZone: string) {
  const isWrong = ['from', 'to'].some((name) => findMessage(problem, name) !== undefined)
  return html`<details class="confirm" ${isWrong && html`open`}>
    <summary class="button" ${('from' in given || 'to' in given) && html`aria-current="true"`}>Range</summary>
    <div class="question">
      ${renderOptional(
        [
          { name: 'from', label: 'From', type: 'moment', hint: describeZone(timeZone) },
          { name: 'to', label: 'To', type: 'moment', hint: 'Including that day.' },
        ],
        given,
        problem,
      )}
      <button>Apply</button>
    </div>
  </details>`
}

/** Renders each filter that is set as a link that removes it. */
function renderChips({ given }: PageFilter, keys: readonly Option[], path: string) {
  const names = Object.keys(given) as FilterName[]
  if (names.length === 0) return html``
  const chips = names.map((name) => {
    return renderChip(buildUrl(path, { ...given, [name]: '' }), LABELS[name](given[name]!, keys))
  })
  return html`<ul class="cluster chips" aria-label="Active filters">
    ${chips}
    <li><a href="${path}">Clear filters</a></li>
  </ul>`
}

const labelTime = (label: string) => (text: string) => html`${label} ${isolate(text.replace('T', ' '))}`

/** What the chip of each filter says. */
const LABELS: Record<FilterName, (text: string, keys: readonly Option[]) => Html | string> = {
  key: (text, keys) => html`Key: <bdi>${keys.find(({ value }) => value === text)!.label}</bdi>`,
  error: (text) => html`<span title="${text}">${capitalise(describeCode(text))}</span>`,
  operation: (text) => (isOperation(text) ? rulesOf(text).label : text),
  source: (text) => isolate(text),
  last: (text) => (Object.hasOwn(LAST, text) ? LAST[text]!.label : text),
  q: (text) => html`“${isolate(text)}”`,
  status: (text) => isolate(text),
  http_status: (text) => html`HTTP status ${isolate(text)}`,
  from: labelTime('From'),
  to: labelTime('To'),
  employee: (text) => html`Employee ${isolate(text)}`,
}
