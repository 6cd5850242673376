import { ONLY } from '#people/people-filter'
import type { PeopleOrder } from '#projections/employees/people-list'
import { NAVIGATION } from '#wording/navigation'
import { listOptions, pickFields, renderChoice, renderField } from '../parts/form.ts'
import type { Choice, FormFields, FormProblem } from '../parts/form.ts'
import { html, type Html } from '../parts/html.ts'
import { trimBlanks } from '#text/normalize-text'

/** The filters of the list of people, in its address. */
const PEOPLE_FILTERS = ['q', 'status', 'department', 'location', 'manager', 'only'] as const

const ORDERS: Readonly<Record<PeopleOrder, string>> = {
  newest: 'Newest first',
  name: 'Last name',
  department: 'Department',
  changed: 'Last changed first',
}

/** Reads the filters that are given, without the order of the list if it is the usual one. */
export function readPeopleFields(fields: FormFields): FormFields {
  const given = Object.entries(pickFields(fields, [...PEOPLE_FILTERS, 'order']))
    .map(([name, text]) => [name, trimBlanks(text)] as const)
    .filter(([name, text]) => text !== '' && !(name === 'order' && text === 'newest'))
  return Object.fromEntries(given)
}

/** Renders the search and the filters of the list of people. */
export function renderPeopleFilter(given: FormFields, problem: FormProblem): Html {
  const value = (name: string) => given[name] ?? ''
  const text = (name: 'department' | 'location' | 'manager', label: string, maxLength: number, placeholder = '') =>
    renderField({ name, label, value: value(name), placeholder, maxLength, isRequired: false }, problem)
  const choice = (name: string, label: string, options: Choice['options']) =>
    renderChoice({ name, label, value: value(name), options }, problem)
  const orders = listOptions(ORDERS, ORDERS.newest).filter(({ value: order }) => order !== 'newest')
  const hint =
    'An ID, or part of a name, email, external ID or employee number. Former ones are found if entered whole.'
  const search = { name: 'q', label: 'Employee', value: value('q'), hint, maxLength: 254, autocomplete: 'off' }
  const isNarrowed = Object.keys(given).some((name) => name !== 'q')
  return html`<form method="get" action="${NAVIGATION.employees.path}" class="filters" role="search">
    ${renderField({ ...search, isRequired: false }, problem)}
    <button class="primary">Search</button>
    <details class="further" ${(isNarrowed || problem) && html`open`}>
      <summary>Filters and order</summary>
      <div class="filters">
        ${choice('status', 'Status', listOptions({ active: 'Active', inactive: 'Inactive' }))}
        ${text('department', 'Department', 120)} ${text('location', 'Location', 120)}
        ${text('manager', 'Manager', 254, 'ID, email or external ID')}
        ${choice('only', 'Only', listOptions(ONLY, 'Everybody'))} ${choice('order', 'Order', orders)}
        <div class="actions">
          <button>Apply</button>
          ${Object.keys(given).length !== 0 && html`<a href="${NAVIGATION.employees.path}">Clear</a>`}
        </div>
      </div>
    </details>
  </form>`
}
