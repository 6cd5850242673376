import type { LogEntry } from '../../../projections/bulk-user-logs/queries.ts'
import type { Employee } from '../../domain/employees/employee.ts'
import { formatFullName } from '../../domain/employees/full-name.ts'
import type { AttributeChanges } from '../../domain/events.ts'
import type { StayingAttribute, UndoOutcome } from '../../undo/undo-entry.ts'
import { buildEmployeeUrl } from '../../wording/navigation.ts'
import { formatCount, formatNumber, formatPeople } from '../../wording/numbers.ts'
import { renderAttributeName } from '../parts/attribute-words.ts'
import { renderCounts } from '../parts/facts.ts'
import { renderButtons } from '../parts/form.ts'
import { renderForm, type PageForms } from '../parts/form-page.ts'
import { html, type Html } from '../parts/html.ts'
import { renderEntryLink } from '../parts/links.ts'
import { renderBreakable, renderChange } from '../parts/shown-values.ts'
import { renderTable } from '../parts/table.ts'
import { buildEntryUrl } from './entry.ts'

/** What undoing an entry would do now. */
export interface UndoPreview {
  entry: LogEntry
  outcome: UndoOutcome
  /** What each record would change, by its index. */
  changes: ReadonlyMap<number, AttributeChanges>
  /** The employees that are shown, as they are now. */
  employees: ReadonlyMap<string, Employee>
}

/** The most people that a page shows of those who get old values, and of those about whom something stays. */
export const MAX_SHOWN = 100

type Result = UndoOutcome['results'][number]

/** Parts people by what an undo does to them. Each counts once. */
function countPeople(results: readonly Result[]) {
  const counts = { restored: 0, partly: 0, staying: 0, same: 0 }
  for (const { changed, left, errors } of results) {
    const isStaying = left.length + errors.length > 0
    if (changed.length > 0) counts[isStaying ? 'partly' : 'restored'] += 1
    else counts[isStaying ? 'staying' : 'same'] += 1
  }
  return counts
}

/** Renders what undoing an entry would do, by name, and asks whether to do it. */
export function renderUndoPreview(preview: UndoPreview, forms: PageForms<'undo'>): Html {
  const { entry, outcome } = preview
  const { restored, partly, staying, same } = countPeople(outcome.results)
  const undone = restored + partly
  const isWhole = partly + staying === 0
  const button = isWhole ? `Undo all: ${formatPeople(undone)}` : `Undo what is possible: ${formatPeople(undone)}`
  const buttons = renderButtons(button, buildEntryUrl(entry))
  return html`<p>
      ${undone === 0 ? 'Nothing can be undone.' : 'Nothing has been undone yet. This is what undoing the entry would do now.'}
      ${!isWhole && 'What was changed since, or is not allowed now, stays as it is.'}
    </p>
    ${renderCounts([
      ['People', outcome.results.length],
      ['Get all old values', restored],
      ['Get some', partly],
      ['Stay as they are', staying],
      ['As before already', same],
    ])}
    <p class="hint">
      ${formatCount(outcome.attributes.restored, 'attribute')} would get the old value;
      ${formatNumber(outcome.attributes.left)} would stay. People whom the entry created become inactive: nobody is
      deleted.
    </p>
    ${
      undone === 0
        ? html`<p class="actions"><a class="button" href="${buildEntryUrl(entry)}">Back to the entry</a></p>`
        : renderForm(forms, 'undo', {
            fields: () => html`<input type="hidden" name="all_or_none" value="${isWhole ? 'true' : 'false'}" />`,
            buttons,
          })
    }
    ${renderStaying(preview)} ${renderRestored(preview)}`
}

/** An attribute that stays, or a whole person. */
interface Stay {
  result: Result
  attribute: StayingAttribute | null
  message: string
}

function renderStaying({ outcome, employees }: UndoPreview): Html {
  const stays = outcome.results.flatMap((result): Stay[] => [
    ...result.left.map((attribute) => ({ result, attribute, message: attribute.message })),
    ...result.errors.map(({ message }) => ({ result, attribute: null, message })),
  ])
  if (stays.length === 0) return html``
  const table = renderTable<Stay>({
    caption: 'Attributes that stay as they are',
    columns: [
      { heading: 'Person', cell: ({ result: { id } }) => renderPerson(id, employees) },
      { heading: 'Attribute', cell: ({ attribute }) => (attribute ? renderAttributeName(attribute.attribute) : 'all') },
      { heading: 'Why it stays', isLong: true, cell: ({ attribute, message }) => renderReason(attribute, message) },
    ],
    rows: stays.slice(0, MAX_SHOWN),
  })
  return html`<h2>What stays, and why</h2>
    ${table} ${renderMore(stays.length)}`
}

function renderReason(attribute: StayingAttribute | null, message: string): Html {
  const by = attribute?.changed_by
  if (!by) return html`${message}`
  const what = attribute.reason === 'employee_changed' ? 'The person was changed since' : 'Changed since'
  if (by.log_id === null) return html`${what}`
  return html`${what} by ${renderEntryLink(by.log_id)}`
}

function renderRestored({ outcome, changes, employees }: UndoPreview): Html {
  const restored = outcome.results.filter(({ changed }) => changed.length > 0)
  if (restored.length === 0) return html``
  const table = renderTable<Result>({
    caption: 'Attributes that get their old values',
    columns: [
      { heading: 'Person', cell: ({ id }) => renderPerson(id, employees) },
      {
        heading: 'Now, and then',
        isLong: true,
        cell: ({ index }) =>
          html`${Object.entries(changes.get(index) ?? {}).map(
            ([name, change]) => html`<div>${renderAttributeName(name)}: ${renderChange(change)}</div>`,
          )}`,
      },
    ],
    rows: restored.slice(0, MAX_SHOWN),
  })
  return html`<h2>What gets its old value</h2>
    ${table} ${renderMore(restored.length)}`
}

function renderMore(count: number): Html {
  return count <= MAX_SHOWN ? html`` : html`<p class="hint">and ${formatNumber(count - MAX_SHOWN)} more</p>`
}

function renderPerson(id: string | null, employees: UndoPreview['employees']): Html {
  const employee = id === null ? undefined : employees.get(id)
  if (!employee) return html`<span class="hint">an erased person</span>`
  const name = formatFullName(employee) || (employee.email ?? employee.external_id ?? employee.id)
  return html`<a href="${buildEmployeeUrl(employee.id)}">${renderBreakable(name)}</a>`
}
