import type { FastifyInstance, FastifyRequest } from 'fastify'
import { findEmployees } from '#projections/employees/queries'
import { readUploadId } from '#api/admin/uploads/upload-answer'
import type { Problem } from '#domain/errors'
import { ALWAYS } from '#http/access/heavy-reads'
import { ProblemError } from '#http/server/problem'
import { previewEntryUndo, previewUploadUndo, type UndoPreview } from '#undo/preview-undo'
import { undoEntry, type UndoOutcome } from '#undo/undo-entry'
import { requireUpload } from '#uploads/apply-upload'
import { undoUpload } from '#uploads/undo-upload'
import { NAVIGATION, UPLOAD_PATH } from '#wording/navigation'
import { addFormPage, type PageRequest } from '../parts/form-page.ts'
import type { PageServices } from '../parts/page-services.ts'
import { getActing, getViewer } from '../parts/viewer.ts'
import { buildEntryUrl, formatCall, formatCaller } from './entry.ts'
import { renderUndoPreview } from './undo-preview.ts'

type UndoPageRequest = PageRequest<{ log_id: string }>

const LOGS_PATH = NAVIGATION.bulkUserLogs.path
const config = { isHeavyRead: ALWAYS }

/**
 * `/settings/bulk-user-logs/{log_id}/undo`, and `/settings/bulk-user-logs/upload/{id}/undo`: what undoing an entry, or all
 * entries of an upload, would do, and the button that does it.
 */
export function addUndoPages(app: FastifyInstance, services: PageServices): void {
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
function toFormRefusal(refusal: Problem): Problem {
  if (refusal.code !== 'validation_failed' && refusal.status !== 409) return refusal
  const detail = 'Nothing was undone, because something was changed meanwhile. This is what undoing would do now'
  return { ...refusal, detail, errors: [] }
}

async function findNamed({ reads }: PageServices, request: FastifyRequest, { stays, restored }: UndoPreview) {
  const { companyId } = getViewer(request)
  const named = [...stays.first, ...restored.first].flatMap(({ employeeId }) => employeeId ?? [])
  return findEmployees(await reads.of(companyId, request.left), companyId, [...new Set(named)])
}
