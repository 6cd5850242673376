import { isOperation, OPERATIONS, rulesOf } from '#domain/operations'
import { buildUrl } from '#wording/navigation'
import {
  renderChoice,
  renderDayField,
  renderField,
  toSentence,
  type FormFields,
  type Option,
  renderHidden,
} from '#pages/parts/form'
import { capitalise } from '#pages/parts/call-words'
import { describeCode } from '#wording/attention-words'
import { type Facet, type Facets, formatFacet } from './facets.ts'
import { HIDDEN, LAST, type FilterName, type PageFilter } from './filter.ts'
import { isolate, html, type Html, renderChip, renderSegment, describeZone } from '#pages/parts/elements'

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

function findMessage(problem: PageFilter['problem'], name: string): string | undefined {
  return problem?.errors.find(({ pointer }) => pointer === `/${name}`)?.message
}

function renderRange({ given, problem }: PageFilter, timeZone: string) {
  const [from, to] = [given['from'] ?? '', given['to'] ?? '']
  const isWrong = ['from', 'to'].some((name) => findMessage(problem, name) !== undefined)
  return html`<details class="confirm" ${isWrong && html`open`}>
    <summary class="button" ${from + to !== '' && html`aria-current="true"`}>Range</summary>
    <div class="question">
      ${renderDayField({ name: 'from', label: 'From', value: from, hint: describeZone(timeZone) }, problem)}
      ${renderDayField({ name: 'to', label: 'To', value: to, hint: 'Including that day.' }, problem)}
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
