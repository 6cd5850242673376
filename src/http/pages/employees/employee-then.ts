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
  /** Whether the page shows the present: the address names no point in time. */
  isNow: boolean
  state: EmployeeThen
  /** Positions of the employee's previous and next event; null where there is none. */
  earlier: number | null
  later: number | null
}

/** Returns the title of an employee's page. */
export function formatEmployeeName(seen: SeenEmployee | null): string {
  if (seen?.state.standing === 'erased') return 'Erased person'
  return seen?.state.standing === 'known'
    ? `${seen.state.employee.first_name} ${seen.state.employee.last_name}`
    : 'Employee'
}

/** Renders the employee's status, its position in the ledger, and links to the previous and next event. */
export function renderStanding(seen: SeenEmployee, viewer: SessionUser): Html {
  const { id, position, head, earlier, later, state } = seen
  const step = (to: number | null) => (to === null ? null : buildEmployeeUrl(id, to))
  return html`<dl class="facts">
      <dt>Employee</dt>
      <dd>
        <code id="employee-id">${id}</code>
        <button type="button" class="quiet" data-copy="#employee-id" hidden>Copy ID</button>
      </dd>
      <dt>As of</dt>
      <dd>Position ${position} of ${head}${seen.isNow ? ' (now)' : ''}</dd>
      ${
        state.standing === 'known'
          ? renderStatusFacts(state, viewer.timeZone)
          : html`<dt>Status</dt>
              <dd>
                ${state.standing === 'erased' ? renderBadge('plain', 'Erased') : renderBadge('plain', 'Not created yet')}
              </dd>`
      }
    </dl>
    ${state.standing === 'erased' ? html`<p class="empty">This person's data was erased, for all points in time. The events remain: when they happened, who caused them, and their hashes.</p>` : ''}
    ${renderPageLinks(
      [
        { label: 'Previous event', rel: 'prev', href: step(state.standing === 'erased' ? null : earlier) },
        { label: 'Next event', rel: 'next', href: step(state.standing === 'erased' ? null : later) },
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

/** Renders every attribute with its value and the event that last changed it. */
export function renderAttributes(
  { employee, causes }: ExplainedEmployee,
  position: number,
  names: ReadonlyMap<string, string>,
  viewer: SessionUser,
): Html {
  const attributes = listAttributes(Object.fromEntries(ATTRIBUTE_NAMES.map((name) => [name, employee[name]])))
  return html`<table class="cards">
    <caption>
      Values and last change
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
  // Links to the manager at the same position.
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
