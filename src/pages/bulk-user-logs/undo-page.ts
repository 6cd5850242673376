import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Employee, formatFullName } from '#domain/employees/employee'
import { type Stay, type UndoPreview, previewEntryUndo, previewUploadUndo } from '#undo/preview-undo'
import { type StayingAttribute, undoEntry, type UndoOutcome } from '#undo/undo-entry'
import { buildEmployeeUrl, NAVIGATION, UPLOAD_PATH } from '#wording/navigation'
import { formatCount, formatNumber, formatPeople } from '#wording/numbers'
import { findEmployees } from '#projections/employees/queries'
import { readUploadId } from '#api/admin/uploads/upload-answer'
import type { Problem } from '#domain/errors'
import { ProblemError } from '#http/server/problem'
import { requireUpload } from '#uploads/apply-upload'
import { undoUpload } from '#uploads/undo-upload'
import { renderAttributeName, renderBreakable, renderChange } from '#pages/parts/attribute-values'
import {
  renderCounts,
  html,
  renderEntryLink,
  renderTable,
  renderActions,
  renderButton,
  renderHint,
} from '#pages/parts/elements'
import { renderButtons, renderHidden } from '#pages/parts/form'
import { renderForm, type PageForms, addFormPage, type PageRequest } from '#pages/parts/form-page'
import { type PageServices, getActing, getViewer } from '#pages/parts/context'
import { buildEntryUrl, formatCall, formatCaller } from './entry.ts'

/** The preview of an undo, for its page. */
interface ShownPreview {
  preview: UndoPreview
  /** The employees whom it names, as they are now. */
  employees: ReadonlyMap<string, Employee>
  what: 'entry' | 'file'
  back: { label: string; href: string }
}

/** Renders what undoing an entry or a file would do, by name, and asks whether to do it. */
function renderUndoPreview(shown: ShownPreview, forms: PageForms<'undo'>) {
  const { preview, what, back } = shown
  const { restored, partly, staying, same } = preview.people
  const undone = restored + partly
  const isWhole = partly + staying === 0
  const button = isWhole ? `Undo all: ${formatPeople(undone)}` : `Undo what is possible: ${formatPeople(undone)}`
  const buttons = renderButtons(button, back.href)
  return html`<p>
      ${undone === 0 && 'Nothing can be undone.'}
      ${undone > 0 && `Nothing has been undone yet. This is what undoing the ${what} would do now.`}
      ${!isWhole && 'What has changed since, or is not allowed now, stays as it is.'}
      ${
        what === 'file' &&
        undone > 0 &&
        'Its entries are undone one after another, the last one first. What changes in the meantime also stays.'
      }
    </p>
    ${renderCounts([
      ['People', undone + staying + same],
      ['Get all old values', restored],
      ['Get some', partly],
      ['Stay as they are', staying],
      ['Already as before', same],
    ])}
    <p class="hint">
      ${formatCount(preview.attributes.restored, 'attribute')} would get the old value back;
      ${formatNumber(preview.attributes.left)} would stay. People whom the ${what} created become inactive; nobody is
      deleted.
    </p>
    ${
      undone === 0
        ? renderActions(renderButton(back.href, back.label))
        : renderForm(forms, 'undo', {
            fields: [renderHidden('all_or_none', String(isWhole))],
            buttons,
          })
    }
    ${renderStaying(shown)} ${renderRestored(shown)}`
}

function renderStaying({ preview: { stays }, employees }: ShownPreview) {
  if (stays.total === 0) return html``
  const table = renderTable<Stay>({
    caption: 'Attributes that stay as they are',
    columns: {
      Person: ({ employeeId }) => renderPerson(employeeId, employees),
      Attribute: ({ attribute }) => (attribute ? renderAttributeName(attribute.attribute) : 'all'),
      'Why it stays': { isLong: true, cell: ({ attribute, message }) => renderReason(attribute, message) },
    },
    rows: stays.first,
  })
  return html`<h2>What stays, and why</h2>
    ${table} ${renderMore(stays)}`
}

function renderReason(attribute: StayingAttribute | null, message: string) {
  const by = attribute?.changed_by
  if (!by) return html`${message}`
  const what = attribute.reason === 'employee_changed' ? 'The person was changed since' : 'Changed since'
  if (by.log_id === null) return html`${what}`
  return html`${what} by ${renderEntryLink(by.log_id)}`
}

function renderRestored({ preview: { restored }, employees }: ShownPreview) {
  if (restored.total === 0) return html``
  const table = renderTable<UndoPreview['restored']['first'][number]>({
    caption: 'Attributes that get their old values',
    columns: {
      Person: ({ employeeId }) => renderPerson(employeeId, employees),
      'Now, and then': {
        isLong: true,
        cell: ({ changes }) =>
          html`${Object.entries(changes).map(
            ([name, change]) => html`<div>${renderAttributeName(name)}: ${renderChange(change)}</div>`,
          )}`,
      },
    },
    rows: restored.first,
  })
  return html`<h2>What gets its old value</h2>
    ${table} ${renderMore(restored)}`
}

function renderMore({ first, total }: { first: readonly unknown[]; total: number }) {
  return total === first.length ? html`` : renderHint(`and ${formatNumber(total - first.length)} more`)
}

function renderPerson(id: string | null, employees: ShownPreview['employees']) {
  const employee = id === null ? undefined : employees.get(id)
  if (!employee) return html`<span class="hint">an erased person</span>`
  const name = formatFullName(employee) || (employee.email ?? employee.external_id ?? employee.id)
  return html`<a href="${buildEmployeeUrl(employee.id)}">${renderBreakable(name)}</a>`
}

type UndoPageRequest = PageRequest<{ log_id: string }>

const LOGS_PATH = NAVIGATION.bulkUserLogs.path
const config = { isHeavyRead: true }

/**
 * `/settings/bulk-user-logs/{log_id}/undo`, and `/settings/bulk-user-logs/upload/{id}/undo`: what undoing an entry, or all
 * entries of an upload, would do, and the button that does it.
 */
export function addUndoPages(app: FastifyInstance, services: PageServices) {
  const { db, uploads, reads, requireLogEntry } = services
  const undoing = { db, commands: uploads.commands, uploads }

  addFormPage(app, {
    path: `${LOGS_PATH}/:log_id/undo`,
    config,
    async load(request: UndoPageRequest) {
      const { companyId } = getViewer(request)
      const entry = await requireLogEntry(await reads.of(companyId, request.left), companyId, request.params.log_id)
      const preview = await previewEntryUndo(undoing, getActing(request), request.params.log_id, request.id)
      return { entry, preview, employees: await findNamed(services, request, preview) }
    },
    render({ entry, ...shown }, forms) {
      const back = { label: 'Back to the entry', href: buildEntryUrl(entry) }
      return {
        title: `Undo ${formatCall(entry)} · ${formatCaller(entry.entry)}`,
        trail: [NAVIGATION.bulkUserLogs, { label: formatCall(entry), path: buildEntryUrl(entry) }],
        body: renderUndoPreview({ ...shown, what: 'entry', back }, forms),
      }
    },
    forms: {
      undo: {
        config,
        async run(request, { all_or_none: allOrNone }) {
          const how = { isAllOrNone: allOrNone !== 'false', validateOnly: false, requestId: request.id }
          const { status, body } = await undoEntry(undoing, getActing(request), request.params.log_id, how)
          if (status !== 200) throw new ProblemError(toFormRefusal(body as Problem))
          return { goTo: `${LOGS_PATH}/${(body as UndoOutcome).log_id}` }
        },
      },
    },
  })

  addFormPage(app, {
    path: `${UPLOAD_PATH}/:id/undo`,
    config,
    async load(request: PageRequest) {
      const id = readUploadId(request)
      const acting = getActing(request)
      const upload = await requireUpload(uploads, acting.companyId, id)
      const preview = await previewUploadUndo(undoing, acting, id, request.id, request.left)
      return { upload, preview, employees: await findNamed(services, request, preview) }
    },
    render({ upload, ...shown }, forms) {
      const path = `${UPLOAD_PATH}/${upload.id}`
      return {
        title: `Undo ${upload.fileName}`,
        trail: [NAVIGATION.bulkUserLogs, { label: upload.fileName, path }],
        body: renderUndoPreview({ ...shown, what: 'file', back: { label: 'Back to the file', href: path } }, forms),
      }
    },
    forms: {
      undo: {
        async run(request) {
          const id = await undoUpload(uploads, getActing(request), readUploadId(request), request.id)
          return { goTo: `${UPLOAD_PATH}/${id}` }
        },
      },
    },
  })
}

/** The preview below says what stays, so the alert has no field to point to. */
function toFormRefusal(refusal: Problem) {
  if (refusal.code !== 'validation_failed' && refusal.status !== 409) return refusal
  const detail = 'Nothing was undone, because something has changed in the meantime. This is what undoing would do now'
  return { ...refusal, detail, errors: [] }
}

async function findNamed({ reads }: PageServices, request: FastifyRequest, { stays, restored }: UndoPreview) {
  const { companyId } = getViewer(request)
  const named = [...stays.first, ...restored.first].flatMap(({ employeeId }) => employeeId ?? [])
  return findEmployees(await reads.of(companyId, request.left), companyId, [...new Set(named)])
}
