import { html } from 'hono/html'
import { ATTRIBUTE_NAMES } from '../../../domain/attributes.ts'
import type { Cause, ExplainedEmployee } from '../../../domain/employees/employee-history.ts'
import type { EmployeeThen } from '../../../ledger/read/read-employee-history.ts'
import type { SessionUser } from '../../../accounts/users/sessions.ts'
import { badge } from '../parts/badges.ts'
import { employeeAddress, eventLink, shownActor, shownCall } from '../events/event-values.ts'
import { pageLinks } from '../parts/list-pages.ts'
import type { Html } from '../parts/page.ts'
import { attributesByName, valueShown } from '../parts/shown-values.ts'
import { timeShown } from '../parts/times.ts'

/** An employee at a position of the ledger. */
export interface SeenEmployee {
  id: string
  position: number
  /** The last position of the ledger. */
  head: number
  /** Whether no moment was asked for. */
  isNow: boolean
  state: EmployeeThen
  /** Where the employee's event before is, and the one after; null where there is none. */
  earlier: number | null
  later: number | null
}

/** What a page about the employee is called. */
export function nameOf(seen: SeenEmployee | null): string {
  if (seen?.state.standing === 'erased') return 'An erased person'
  return seen?.state.standing === 'known'
    ? `${seen.state.employee.first_name} ${seen.state.employee.last_name}`
    : 'An employee'
}

/** How the employee stood, as of which moment, and the steps to the events before and after it. */
export function standingShown(seen: SeenEmployee, viewer: SessionUser): Html {
  const { id, position, head, earlier, later, state } = seen
  const step = (to: number | null) => (to === null ? null : employeeAddress(id, to))
  return html`<dl class="facts">
      <dt>Employee</dt>
      <dd>
        <code id="employee-id">${id}</code>
        <button type="button" class="quiet" data-copy="#employee-id" hidden>Copy id</button>
      </dd>
      <dt>As of</dt>
      <dd>position ${position} of ${head}${seen.isNow ? ', now' : ''}</dd>
      ${
        state.standing === 'known'
          ? known(state, viewer.timeZone)
          : html`<dt>Status</dt>
              <dd>${state.standing === 'erased' ? badge('plain', 'Erased') : badge('plain', 'Not created yet')}</dd>`
      }
    </dl>
    ${state.standing === 'erased' ? html`<p class="empty">The data of this person have been erased, for every time. That there were these events, when, and by whom, remains; so do their hashes.</p>` : ''}
    ${pageLinks(
      [
        { label: 'One event earlier', rel: 'prev', href: step(state.standing === 'erased' ? null : earlier) },
        { label: 'One event later', rel: 'next', href: step(state.standing === 'erased' ? null : later) },
        { label: 'Now', rel: 'first', href: seen.isNow ? null : employeeAddress(id) },
      ],
      'Steps in time',
    )}`
}

function known({ employee }: ExplainedEmployee, timeZone: string): Html {
  return html`<dt>Status</dt>
    <dd>${employee.status === 'active' ? badge('good', 'Active') : badge('warn', 'Inactive')}</dd>
    <dt>Last changed</dt>
    <dd>${timeShown(employee.updated_at, timeZone)}, version ${employee.version}</dd>`
}

/** Every attribute with its value and the event that made it so. */
export function attributeTable(
  { employee, causes }: ExplainedEmployee,
  position: number,
  names: ReadonlyMap<string, string>,
  viewer: SessionUser,
): Html {
  const attributes = attributesByName(Object.fromEntries(ATTRIBUTE_NAMES.map((name) => [name, employee[name]])))
  return html`<table class="cards">
    <caption>
      Each attribute, and the event that made it so
    </caption>
    <thead>
      <tr>
        ${['Attribute', 'Value', 'Since', 'By'].map((label) => html`<th scope="col">${label}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${attributes.flatMap(([name, value]) => (causes[name] ? [row(name, value, causes[name], position, names, viewer)] : []))}
    </tbody>
  </table>`
}

function row(
  name: string,
  value: unknown,
  cause: Cause,
  position: number,
  names: ReadonlyMap<string, string>,
  viewer: SessionUser,
): Html {
  // The manager as they were at the same moment.
  const shown =
    name === 'manager_id' && typeof value === 'string'
      ? html`<a href="${employeeAddress(value, position)}"><code>${value}</code></a>`
      : valueShown(value)
  return html`<tr>
    <th scope="row">
      <code><bdi>${name}</bdi></code>
    </th>
    <td data-label="Value">${shown}</td>
    <td data-label="Since">
      ${timeShown(cause.recorded_at, viewer.timeZone)}
      <div class="hint">event ${eventLink(cause.position)} <span class="unbroken">${cause.type}</span></div>
    </td>
    <td data-label="By">${shownActor(cause.actor, names)} ${shownCall(cause, viewer)}</td>
  </tr>`
}
