import { buildUrl } from '../parts/addresses.ts'
import { renderChoice, renderDayField, renderField, toSentence, type FormFields, type Option } from '../parts/form.ts'
import { capitalise, describeCode, OPERATIONS } from '../parts/call-words.ts'
import { type Facet, type Facets, formatFacet } from './facets.ts'
import { HIDDEN, LAST, type FilterName, type PageFilter } from './filter.ts'
import { html, type Html } from '../parts/html.ts'
import { describeZone } from '../parts/times.ts'

/** What the filter bar needs beside the filters. */
interface Surroundings {
  keys: readonly { id: string; name: string }[]
  /** The path of the list. */
  path: string
  timeZone: string
  /** The chart of the calls; null if there is none. */
  chart: Html | null
  /** How many entries the values of filters find; null if they were not counted. */
  facets: Facets | null
}

/** Renders the search box, the filters as links and lists, the filters that are set, and the chart. */
export function renderFilterBar(pageFilter: PageFilter, { keys, path, timeZone, chart, facets }: Surroundings): Html {
  const { given, problem } = pageFilter
  const value = (name: FilterName) => given[name] ?? ''
  const keyOptions = keys.map(({ id, name }) => ({ value: id, label: name }))
  if (value('key') !== '' && !keys.some(({ id }) => id === value('key')))
    keyOptions.push({ value: value('key'), label: value('key') })
  const valuesOf = (name: Facet) =>
    [...new Set([...(facets?.counts[name].keys() ?? []), value(name)])].filter((text) => text !== '')
  const operations = Object.entries(OPERATIONS).map(([operation, label]) => ({ value: operation, label }))
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
        ${list('key', 'API key', 'Any API key', keyOptions)}
        ${causes.length === 0 ? '' : list('error', 'Cause', 'Any cause', causes)}
        ${statuses.length === 0 ? '' : list('http_status', 'HTTP status', 'Any HTTP status', statuses)}
        </details>
        ${kept.map((name) => html`<input type="hidden" name="${name}" value="${value(name)}" />`)}
        <button class="primary">Search</button>
      </div>
      <div class="cluster narrowing">
        <div class="tools" role="group" aria-label="Status">
          ${['', 'Completed', 'Failed'].map((status) => renderSegment(html`${status || 'All'} <span class="facet">${formatFacet(facets, 'status', status)}</span>`, link({ status, ...(status === 'Completed' ? { error: '', http_status: '' } : {}) }), value('status') === status))}
        </div>
        <div class="tools" role="group" aria-label="Time">
          ${renderSegment('Any time', link({ last: '', from: '', to: '' }), !['last', 'from', 'to'].some((name) => name in given))}
          ${Object.entries(LAST).map(([last, { short }]) => renderSegment(short, link({ last, from: '', to: '' }), value('last') === last))}
          ${renderRange(pageFilter, timeZone)}
        </div>
      </div>
      ${chart === null ? '' : html`<details class="folded"><summary>Chart</summary>${chart}</details>`}
      ${renderChips(pageFilter, keyOptions, path)}
    </form>`
}

/** Lists the errors of filters that have no input to show them at. */
function renderAlert({ given, problem }: PageFilter): Html {
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

function renderSegment(label: string | Html, href: string, isChosen: boolean): Html {
  return html`<a class="button" href="${href}" ${isChosen ? html`aria-current="true"` : ''}>${label}</a>`
}

function renderRange({ given, problem }: PageFilter, timeZone: string): Html {
  const [from, to] = [given['from'] ?? '', given['to'] ?? '']
  const isWrong = ['from', 'to'].some((name) => findMessage(problem, name) !== undefined)
  return html`<details class="confirm" ${isWrong ? html`open` : ''}>
    <summary class="button" ${from + to === '' ? '' : html`aria-current="true"`}>Range</summary>
    <div class="question">
      ${renderDayField({ name: 'from', label: 'From', value: from, hint: describeZone(timeZone) }, problem)}
      ${renderDayField({ name: 'to', label: 'To', value: to, hint: 'Including that day.' }, problem)}
      <button>Apply</button>
    </div>
  </details>`
}

/** Renders each filter that is set as a link that removes it. */
function renderChips({ given }: PageFilter, keys: readonly Option[], path: string): Html {
  const names = Object.keys(given) as FilterName[]
  if (names.length === 0) return html``
  const label = (name: FilterName): Html | string => {
    const text = given[name]!
    if (name === 'key') return html`Key: <bdi>${keys.find(({ value }) => value === text)!.label}</bdi>`
    if (name === 'error') return html`<span title="${text}">${capitalise(describeCode(text))}</span>`
    if (name === 'operation') return (OPERATIONS as Record<string, string>)[text] ?? text
    if (name === 'last') return Object.hasOwn(LAST, text) ? LAST[text]!.label : text
    if (name === 'q') return html`“<bdi>${text}</bdi>”`
    if (name === 'status') return html`<bdi>${text}</bdi>`
    if (name === 'http_status') return html`HTTP status <bdi>${text}</bdi>`
    return html`${{ from: 'From', to: 'To', employee: 'Employee' }[name]} <bdi>${text.replace('T', ' ')}</bdi>`
  }
  return html`<ul class="cluster chips" aria-label="Active filters">
    ${names.map((name) => html`<li><a class="chip" href="${buildUrl(path, { ...given, [name]: '' })}"><span class="visually-hidden">Remove filter: </span>${label(name)} <span aria-hidden="true">×</span></a></li>`)}
    <li><a href="${path}">Clear filters</a></li>
  </ul>`
}
