import { renderHidden, type FormFields } from '#pages/parts/form'
import { createsAll } from '#domain/operations'
import type { FastifyInstance } from 'fastify'
import type { Employee } from '#domain/employees/employee'
import { countBeside } from '#ledger/uploads/change-upload'
import type { StoredPart, StoredUpload } from '#ledger/uploads/read-uploads'
import { requireOwnUpload } from '#uploads/apply-upload'
import {
  type MissingPeople,
  findMissing,
  keepMissing,
  listMissing,
  readMissing,
  roomBeside,
} from '#uploads/missing-people'
import { UPLOAD_PATH } from '#wording/navigation'
import { isolate, html, renderEmployeeLink, renderTable, renderHint, renderAlert } from '#pages/parts/elements'
import { renderPageLinks, ROWS_A_PAGE } from '#pages/parts/list-pages'
import { type PageServices, getActing } from '#pages/parts/context'
import { formatNumber, formatPeople } from '#wording/numbers'
import { readUploadId } from '#api/admin/uploads/upload-answer'

/** What a page shows of the people who are not in a file. */
export interface ShownMissing extends MissingPeople {
  employees: readonly Employee[]
  /** How many people the company's other files of the last day deactivate, or did, and its keys did today. */
  beside: number
  /** The row behind which the page begins, and the next one; null if that does not exist. */
  after: number
  next: number | null
  /** Whether they have just been listed, and there are none. */
  hasNone: boolean
}

/** The value of the query parameter `missing` that says that nobody is. */
const NONE = 'none'

/** Adds what the buttons do that list the people who are not in a file, and keep them active. */
export function addMissingActions(app: FastifyInstance, { uploads }: PageServices) {
  app.post(`${UPLOAD_PATH}/:id/missing`, { config: { isHeavyRead: true } }, async (request, reply) => {
    const upload = await requireOwnUpload(uploads, getActing(request), readUploadId(request))
    const { count } = await listMissing(uploads, upload, request.left)
    return reply.redirect(`${UPLOAD_PATH}/${upload.id}?missing=${count === 0 ? NONE : 0}#missing`, 303)
  })

  app.post(`${UPLOAD_PATH}/:id/keep-missing`, async (request, reply) => {
    const upload = await requireOwnUpload(uploads, getActing(request), readUploadId(request))
    await keepMissing(uploads, upload)
    return reply.redirect(`${UPLOAD_PATH}/${upload.id}`, 303)
  })
}

/** Reads a page of the people whom a file would deactivate. `after` is the query parameter `missing`. */
export async function showMissing(
  { uploads }: Pick<PageServices, 'uploads'>,
  upload: StoredUpload,
  parts: readonly StoredPart[],
  after: unknown,
) {
  const page = { after: typeof after === 'string' && /^\d{1,9}$/.test(after) ? Number(after) : 0, limit: ROWS_A_PAGE }
  const isBefore = upload.state === 'previewed'
  const read = isBefore ? await readMissing(uploads, upload, parts, page) : { employees: [], next: null }
  const missing = findMissing(parts)
  const beside = isBefore && missing.count > 0 ? await countBeside(uploads.pool, upload) : 0
  return { ...missing, ...read, beside, after: page.after, hasNone: after === NONE }
}

/**
 * Reads how many people somebody has confirmed, who may have typed separators; 0 if nobody was to. Also how many those of
 * other files were on the page; none if it did not say.
 */
export function readConfirmed({ deactivate = '0', beside = '0' }: FormFields) {
  return { deactivated: readNumber(deactivate), beside: readNumber(beside) }
}

function readNumber(text: string): number {
  const digits = text.replaceAll(/[\s.,']/g, '')
  return /^\d{1,9}$/.test(digits) ? Number(digits) : 0
}

/** Renders what confirms the number of people who are deactivated, for the form that applies a file. */
export function renderConfirmation(missing: ShownMissing) {
  if (missing.count === 0) return html``
  const { count, active, beside } = missing
  const seen = renderHidden('beside', beside)
  if (beside <= roomBeside(missing)) return html`${renderHidden('deactivate', count)}${seen}`
  const others = beside > 0 && `, together with ${formatPeople(beside)} from other files and API keys since yesterday`
  return html`${seen}
    ${renderAlert(
      html`${formatPeople(count)} of ${formatNumber(active)} who are active would be deactivated. That is more than one
      in ten${others}. Check whether the file is complete.`,
    )}
    <div class="field">
      <label for="deactivate">Number of people to deactivate</label>
      <input id="deactivate" name="deactivate" inputmode="numeric" autocomplete="off" maxlength="12" required />
    </div>`
}

/** Renders who is not in a file, by name, or the button that lists them, if all rows of the file can be applied. */
export function renderMissing(
  { id, operation, corrects, state }: StoredUpload,
  missing: ShownMissing,
  isWhole: boolean,
) {
  if (state !== 'previewed') return html``
  if (missing.count > 0) return renderList(id, missing)
  if (createsAll(operation) || corrects.length > 0 || !isWhole) return html``
  if (missing.hasNone) return html`<p id="missing" role="status">Every active person is in the file.</p>`
  return html`<form id="missing" method="post" action="${UPLOAD_PATH}/${id}/missing">
    <button>Deactivate the people who are not in this file</button>
    ${renderHint('You see the list first. Otherwise, people who are not in the file stay as they are.')}
  </form>`
}

function renderList(id: string, { count, employees, after, next }: ShownMissing) {
  return html`<h2 id="missing">Not in this file</h2>
    <p>${formatPeople(count)} will be deactivated once all rows are applied. If a row is refused, nobody will be.</p>
    <form method="post" action="${UPLOAD_PATH}/${id}/keep-missing"><button>Keep them active</button></form>
    ${renderTable<Employee>({
      caption: 'People who are not in this file',
      columns: {
        Name: renderEmployeeLink,
        'External ID': ({ external_id: externalId }) => isolate(externalId ?? ''),
        Email: ({ email }) => isolate(email ?? ''),
      },
      rows: employees,
    })}
    ${renderPageLinks([
      { label: 'First page', rel: 'first', href: after === 0 ? null : '?missing=0#missing' },
      { label: 'More', rel: 'next', href: next === null ? null : `?missing=${next}#missing` },
    ])}`
}
