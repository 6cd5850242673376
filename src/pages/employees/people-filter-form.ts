import { ONLY } from '../../people/people-filter.ts'
import type { PeopleOrder } from '../../../projections/employees/people-list.ts'
import { NAVIGATION } from '../../wording/navigation.ts'
import { listOptions, pickFields, renderChoice, renderField, type FormFields, type FormProblem } from '../parts/form.ts'
import { html, type Html } from '../parts/html.ts'
import { trimBlanks } from '../../text/normalize-text.ts'

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
        ${renderChoice({ name: 'status', label: 'Status', value: value('status'), options: listOptions({ active: 'Active', inactive: 'Inactive' }) }, problem)}
        ${text('department', 'Department', 120)} ${text('location', 'Location', 120)}
        ${text('manager', 'Manager', 254, 'ID, email or external ID')}
        ${renderChoice({ name: 'only', label: 'Only', value: value('only'), options: listOptions(ONLY, 'Everybody') }, problem)}
        ${renderChoice({ name: 'order', label: 'Order', value: value('order'), options: listOptions(ORDERS, 'Newest first').filter(({ value: order }) => order !== 'newest') }, problem)}
        <div class="actions">
          <button>Apply</button>
          ${Object.keys(given).length !== 0 && html`<a href="${NAVIGATION.employees.path}">Clear</a>`}
        </div>
      </div>
    </details>
  </form>`
}
