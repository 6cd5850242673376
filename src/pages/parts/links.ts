import type { Employee } from '#domain/employees/employee'
import { formatFullName } from '#domain/employees/full-name'
import { buildEmployeeUrl, NAVIGATION } from '#wording/navigation'
import { html, type Html } from './html.ts'

/** Renders a link whose text is a name, isolated from the surrounding writing direction. */
export function renderNameLink(href: string, name: string | null): Html {
  return html`<a href="${href}"><bdi>${name}</bdi></a>`
}

/** Renders a link to an employee, by the current name. */
export function renderEmployeeLink(employee: Pick<Employee, 'id' | 'first_name' | 'last_name'>): Html {
  return renderNameLink(buildEmployeeUrl(employee.id), formatFullName(employee))
}

/** Renders a link to an entry of Bulk User Logs, by its id. */
export function renderEntryLink(id: string): Html {
  return html`<a href="${NAVIGATION.bulkUserLogs.path}/${id}"><code>${id}</code></a>`
}

/** Renders a filter that is set, as a link that removes it. */
export function renderChip(without: string, label: Html | string): Html {
  return html`<li>
    <a class="chip" href="${without}"
      ><span class="visually-hidden">Remove filter: </span>${label} <span aria-hidden="true">×</span></a
    >
  </li>`
}

/** One of several views of a page. */
interface Segment {
  label: Html | string
  href: string
  isChosen: boolean
}

/** Renders links to the views of a page side by side, of which one is chosen. */
export function renderSegments(label: string, segments: readonly Segment[]): Html {
  return html`<nav class="tools" aria-label="${label}">${segments.map(renderSegment)}</nav>`
}

/** Renders one of them. */
export function renderSegment({ label, href, isChosen }: Segment): Html {
  return html`<a class="button" href="${href}" ${isChosen && html`aria-current="true"`}>${label}</a>`
}
