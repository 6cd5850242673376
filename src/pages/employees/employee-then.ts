import { ATTRIBUTE_NAMES } from '#domain/attributes'
import type { Cause, ExplainedEmployee } from '#domain/employees/employee-history'
import { formatFullName } from '#domain/employees/full-name'
import type { EmployeeThen } from '#ledger/read/read-employee-history'
import type { SessionUser } from '#accounts/users/sessions'
import { formatAttributeName } from '../parts/attribute-words.ts'
import { renderBadge, renderStatusBadge } from '../parts/badges.ts'
import { buildEmployeeUrl, NAVIGATION } from '#wording/navigation'
import { renderFacts, renderId } from '../parts/facts.ts'
import { html, type Html } from '../parts/html.ts'
import { renderNameLink } from '../parts/links.ts'
import { readNames } from '#ledger/read/read-names'
import type { LedgerDb } from '#ledger/tables'
import { renderPageLinks } from '../parts/list-pages.ts'
import { formatNumber } from '#wording/numbers'
import { listAttributes, renderBreakable, renderValue } from '../parts/shown-values.ts'
import { renderDayLink, renderTime } from '../parts/times.ts'

/** An employee at a position of the ledger. */
export interface SeenEmployee {
  id: string
  position: number
  /** The last position of the ledger. */
  head: number
  /** Whether the page shows the present: the address names no point in time. */
  isNow: boolean
  state: EmployeeThen
  /** The employee's last version there: the number of their events. */
  version: number
  /** Positions of the employee's previous and next event; null where there is none. */
  earlier: number | null
  later: number | null
}

/** Returns the title of an employee's page. */
export function formatEmployeeName(seen: SeenEmployee | null): string {
  if (seen?.state.standing === 'erased') return 'Erased person'
  return seen?.state.standing === 'known' ? formatFullName(seen.state.employee) : 'Employee'
}

/** Renders the employee's status, its position in the ledger, and links to the previous and next event. */
export function renderStanding(seen: SeenEmployee, viewer: SessionUser): Html {
  const { id, position, head, earlier, later, state } = seen
  const step = (to: number | null) => (to === null ? null : buildEmployeeUrl(id, to))
  const place = seen.isNow ? 'Now' : `Event ${formatNumber(position)} of ${formatNumber(head)}`
  return html`${renderFacts([
    ['Employee', renderId('employee-id', id, 'Copy ID')],
    ['As of', place],
    ['Status', renderStatus(state)],
    state.standing === 'known' ? ['Last changed', renderLastChange(state, viewer)] : null,
  ])}
    ${
      state.standing === 'erased' &&
      html`<p class="empty">
        This person's data was erased, for all points in time. The events remain: when they happened, who caused them,
        and their hashes.
      </p>`
    }
    ${renderPageLinks(
      [
        { label: 'Previous event', rel: 'prev', href: step(state.standing === 'erased' ? null : earlier) },
        { label: 'Next event', rel: 'next', href: step(state.standing === 'erased' ? null : later) },
        { label: 'Now', rel: 'first', href: seen.isNow ? null : buildEmployeeUrl(id) },
      ],
      'Steps in time',
    )}`
}

function renderStatus(state: EmployeeThen): Html {
  if (state.standing === 'known') return renderStatusBadge(state.employee.status)
  return renderBadge('plain', state.standing === 'erased' ? 'Erased' : 'Not created yet')
}

function renderLastChange({ employee }: ExplainedEmployee, { timeZone }: SessionUser): Html {
  return html`${renderTime(employee.updated_at, timeZone)}, version ${employee.version}`
}

/** Lists the attributes that were changed since the creation. */
export function listChanged({ causes }: ExplainedEmployee): string[] {
  return Object.keys(causes).filter((name) => causes[name]!.type !== 'EmployeeCreated')
}

/** Renders every attribute with its value and the event that last changed it. */
export async function renderAttributes(
  db: LedgerDb,
  { employee, causes }: ExplainedEmployee,
  position: number,
  viewer: SessionUser,
): Promise<Html> {
  const attributes = listAttributes(Object.fromEntries(ATTRIBUTE_NAMES.map((name) => [name, employee[name]])))
  const manager = employee.manager_id
  const names = await readNames(db, viewer.companyId, manager === null ? [] : [manager])
  return html`<table class="values">
    <caption class="visually-hidden">
      Values and last change
    </caption>
    <thead>
      <tr>
        ${['Attribute', 'Value', 'Since'].map((label) => html`<th scope="col">${label}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${attributes.flatMap(([name, value]) => (causes[name] ? [renderAttributeRow(name, value, causes[name])] : []))}
    </tbody>
  </table>`

  function renderAttributeRow(name: string, value: unknown, cause: Cause): Html {
    // Links to the manager at the same position.
    const shown =
      name === 'manager_id' && typeof value === 'string'
        ? renderNameLink(buildEmployeeUrl(value, position), names.get(value) ?? value)
        : renderValue(value)
    return html`<tr>
      <th scope="row">${renderBreakable(formatAttributeName(name))}</th>
      <td>${shown}</td>
      <td class="when">
        ${value !== null && renderDayLink(`${NAVIGATION.events.path}/${cause.position}`, cause.recorded_at, viewer.timeZone)}
      </td>
    </tr>`
  }
}
