import type { Employee } from '#domain/employees/employee'
import { formatFullName } from '#domain/employees/full-name'
import { MAX_NAMED, type Stay, type UndoPreview } from '#undo/preview-undo'
import type { StayingAttribute } from '#undo/undo-entry'
import { buildEmployeeUrl } from '#wording/navigation'
import { formatCount, formatNumber, formatPeople } from '#wording/numbers'
import { renderAttributeName } from '../parts/attribute-words.ts'
import { renderCounts } from '../parts/facts.ts'
import { renderButtons } from '../parts/form.ts'
import { renderForm, type PageForms } from '../parts/form-page.ts'
import { html, type Html } from '../parts/html.ts'
import { renderEntryLink } from '../parts/links.ts'
import { renderBreakable, renderChange } from '../parts/shown-values.ts'
import { renderTable } from '../parts/table.ts'

/** The preview of an undo, for its page. */
interface ShownPreview {
  preview: UndoPreview
  /** The employees whom it names, as they are now. */
  employees: ReadonlyMap<string, Employee>
  what: 'entry' | 'file'
  back: { label: string; href: string }
}

/** Renders what undoing an entry or a file would do, by name, and asks whether to do it. */
export function renderUndoPreview(shown: ShownPreview, forms: PageForms<'undo'>): Html {
  const { preview, what, back } = shown
  const { restored, partly, staying, same } = preview.people
  const undone = restored + partly
  const isWhole = partly + staying === 0
  const button = isWhole ? `Undo all: ${formatPeople(undone)}` : `Undo what is possible: ${formatPeople(undone)}`
  const buttons = renderButtons(button, back.href)
  return html`<p>
      ${undone === 0 ? 'Nothing can be undone.' : `Nothing has been undone yet. This is what undoing the ${what} would do now.`}
      ${!isWhole && 'What was changed since, or is not allowed now, stays as it is.'}
      ${
        what === 'file' &&
        undone > 0 &&
        'Its entries are undone one after another, the last one first. What is changed meanwhile stays, too.'
      }
    </p>
    ${renderCounts([
      ['People', undone + staying + same],
      ['Get all old values', restored],
      ['Get some', partly],
      ['Stay as they are', staying],
      ['As before already', same],
    ])}
    <p class="hint">
      ${formatCount(preview.attributes.restored, 'attribute')} would get the old value;
      ${formatNumber(preview.attributes.left)} would stay. People whom the ${what} created become inactive: nobody is
      deleted.
    </p>
    ${
      undone === 0
        ? html`<p class="actions"><a class="button" href="${back.href}">${back.label}</a></p>`
        : renderForm(forms, 'undo', {
            fields: () => html`<input type="hidden" name="all_or_none" value="${isWhole ? 'true' : 'false'}" />`,
            buttons,
          })
    }
    ${renderStaying(shown)} ${renderRestored(shown)}`
}

function renderStaying({ preview: { stays }, employees }: ShownPreview): Html {
  if (stays.total === 0) return html``
  const table = renderTable<Stay>({
    caption: 'Attributes that stay as they are',
    columns: [
      { heading: 'Person', cell: ({ employeeId }) => renderPerson(employeeId, employees) },
      { heading: 'Attribute', cell: ({ attribute }) => (attribute ? renderAttributeName(attribute.attribute) : 'all') },
      { heading: 'Why it stays', isLong: true, cell: ({ attribute, message }) => renderReason(attribute, message) },
    ],
    rows: stays.first,
  })
  return html`<h2>What stays, and why</h2>
    ${table} ${renderMore(stays.total)}`
}

function renderReason(attribute: StayingAttribute | null, message: string): Html {
  const by = attribute?.changed_by
  if (!by) return html`${message}`
  const what = attribute.reason === 'employee_changed' ? 'The person was changed since' : 'Changed since'
  if (by.log_id === null) return html`${what}`
  return html`${what} by ${renderEntryLink(by.log_id)}`
}

function renderRestored({ preview: { restored }, employees }: ShownPreview): Html {
  if (restored.total === 0) return html``
  const table = renderTable<UndoPreview['restored']['first'][number]>({
    caption: 'Attributes that get their old values',
    columns: [
      { heading: 'Person', cell: ({ employeeId }) => renderPerson(employeeId, employees) },
      {
        heading: 'Now, and then',
        isLong: true,
        cell: ({ changes }) =>
          html`${Object.entries(changes).map(
            ([name, change]) => html`<div>${renderAttributeName(name)}: ${renderChange(change)}</div>`,
          )}`,
      },
    ],
    rows: restored.first,
  })
  return html`<h2>What gets its old value</h2>
    ${table} ${renderMore(restored.total)}`
}

function renderMore(count: number): Html {
  return count <= MAX_NAMED ? html`` : html`<p class="hint">and ${formatNumber(count - MAX_NAMED)} more</p>`
}

function renderPerson(id: string | null, employees: ShownPreview['employees']): Html {
  const employee = id === null ? undefined : employees.get(id)
  if (!employee) return html`<span class="hint">an erased person</span>`
  const name = formatFullName(employee) || (employee.email ?? employee.external_id ?? employee.id)
  return html`<a href="${buildEmployeeUrl(employee.id)}">${renderBreakable(name)}</a>`
}
