import { html } from 'hono/html'
import { ATTRIBUTE_NAMES } from '../../../domain/attributes.ts'
import type { Cause, ExplainedEmployee } from '../../../domain/employees/employee-history.ts'
import type { EmployeeThen } from '../../../ledger/read/read-employee-history.ts'
import type { SessionUser } from '../../../accounts/users/sessions.ts'
import { renderBadge } from '../parts/badges.ts'
import { buildEmployeeUrl, renderEventLink, renderActor, renderCallLink } from '../events/event-values.ts'
import { renderPageLinks } from '../parts/list-pages.ts'
import type { Html } from '../parts/page.ts'
import { listAttributes, renderValue } from '../parts/shown-values.ts'
import { renderTime } from '../parts/times.ts'

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
export function formatEmployeeName(seen: SeenEmployee | null): string {
  if (seen?.state.standing === 'erased') return 'An erased person'
  return seen?.state.standing === 'known'
    ? `${seen.state.employee.first_name} ${seen.state.employee.last_name}`
    : 'An employee'
}

/** How the employee stood, as of which moment, and the steps to the events before and after it. */
export function renderStanding(seen: SeenEmployee, viewer: SessionUser): Html {
  const { id, position, head, earlier, later, state } = seen
  const step = (to: number | null) => (to === null ? null : buildEmployeeUrl(id, to))
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
          ? renderStatusFacts(state, viewer.timeZone)
          : html`<dt>Status</dt>
              <dd>
                ${state.standing === 'erased' ? renderBadge('plain', 'Erased') : renderBadge('plain', 'Not created yet')}
              </dd>`
      }
    </dl>
    ${state.standing === 'erased' ? html`<p class="empty">The data of this person have been erased, for every time. That there were these events, when, and by whom, remains; so do their hashes.</p>` : ''}
    ${renderPageLinks(
      [
        { label: 'One event earlier', rel: 'prev', href: step(state.standing === 'erased' ? null : earlier) },
        { label: 'One event later', rel: 'next', href: step(state.standing === 'erased' ? null : later) },
        { label: 'Now', rel: 'first', href: seen.isNow ? null : buildEmployeeUrl(id) },
      ],
      'Steps in time',
    )}`
}

function renderStatusFacts({ employee }: ExplainedEmployee, timeZone: string): Html {
  return html`<dt>Status</dt>
    <dd>${employee.status === 'active' ? renderBadge('good', 'Active') : renderBadge('warn', 'Inactive')}</dd>
    <dt>Last changed</dt>
    <dd>${renderTime(employee.updated_at, timeZone)}, version ${employee.version}</dd>`
}

/** Every attribute with its value and the event that made it so. */
export function renderAttributes(
  { employee, causes }: ExplainedEmployee,
  position: number,
  names: ReadonlyMap<string, string>,
  viewer: SessionUser,
): Html {
  const attributes = listAttributes(Object.fromEntries(ATTRIBUTE_NAMES.map((name) => [name, employee[name]])))
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
      ${attributes.flatMap(([name, value]) => (causes[name] ? [renderAttributeRow(name, value, causes[name], position, names, viewer)] : []))}
    </tbody>
  </table>`
}

function renderAttributeRow(
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
      ? html`<a href="${buildEmployeeUrl(value, position)}"><code>${value}</code></a>`
      : renderValue(value)
  return html`<tr>
    <th scope="row">
      <code><bdi>${name}</bdi></code>
    </th>
    <td data-label="Value">${shown}</td>
    <td data-label="Since">
      ${renderTime(cause.recorded_at, viewer.timeZone)}
      <div class="hint">event ${renderEventLink(cause.position)} <span class="unbroken">${cause.type}</span></div>
    </td>
    <td data-label="By">${renderActor(cause.actor, names)} ${renderCallLink(cause, viewer)}</td>
  </tr>`
}
