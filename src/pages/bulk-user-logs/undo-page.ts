import type { FastifyInstance, FastifyRequest } from 'fastify'
import { findEmployees } from '../../../projections/employees/queries.ts'
import { changesOf } from '../../domain/employees/employee-history.ts'
import type { Problem } from '../../domain/errors.ts'
import type { AttributeChanges } from '../../domain/events.ts'
import { ALWAYS } from '../../http/access/heavy-reads.ts'
import { ProblemError } from '../../http/server/problem.ts'
import { undoEntry, type UndoOutcome, type UndoServices } from '../../undo/undo-entry.ts'
import { NAVIGATION } from '../../wording/navigation.ts'
import { addFormPage, type PageRequest } from '../parts/form-page.ts'
import type { PageServices } from '../parts/page-services.ts'
import { getActing, getViewer } from '../parts/viewer.ts'
import { buildEntryUrl, formatCall, formatCaller } from './entry.ts'
import { MAX_SHOWN, renderUndoPreview, type UndoPreview } from './undo-preview.ts'

type UndoPageRequest = PageRequest<{ log_id: string }>

/** `/settings/bulk-user-logs/{log_id}/undo`: what undoing an entry would do, and the button that does it. */
export function addUndoPage(app: FastifyInstance, services: PageServices, path: string): void {
  const config = { isHeavyRead: ALWAYS }
  const undoing: UndoServices = { db: services.db, commands: services.uploads.commands }
  addFormPage(app, {
    path: `${path}/:log_id/undo`,
    config,
    load: (request: UndoPageRequest) => loadPreview(services, undoing, request),
    render: (preview, forms) => {
      const { entry } = preview
      return {
        title: `Undo ${formatCall(entry)} · ${formatCaller(entry.entry)}`,
        trail: [NAVIGATION.bulkUserLogs, { label: formatCall(entry), path: buildEntryUrl(entry) }],
        body: renderUndoPreview(preview, forms),
      }
    },
    forms: {
      undo: {
        config,
        async run(request, { all_or_none: allOrNone }) {
          const how = { isAllOrNone: allOrNone !== 'false', validateOnly: false, requestId: request.id }
          const { status, body } = await undoEntry(undoing, getActing(request), request.params.log_id, how)
          if (status !== 200) throw new ProblemError(toFormRefusal(body as Problem))
          return { goTo: `${path}/${(body as UndoOutcome).log_id}` }
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

async function loadPreview(
  { reads, requireLogEntry }: PageServices,
  undoing: UndoServices,
  request: UndoPageRequest,
): Promise<UndoPreview> {
  const { companyId } = getViewer(request)
  const db = await reads.of(companyId, request.left)
  const entry = await requireLogEntry(db, companyId, request.params.log_id)
  const how = { isAllOrNone: false, validateOnly: true, requestId: request.id }
  const { outcome, changes } = await previewUndo(undoing, request, how)
  const stays = outcome.results.filter(({ left, errors }) => left.length + errors.length > 0)
  const restored = outcome.results.filter(({ changed }) => changed.length > 0)
  const shown = [...stays.slice(0, MAX_SHOWN), ...restored.slice(0, MAX_SHOWN)].flatMap(({ id }) => id ?? [])
  return { entry, outcome, changes, employees: await findEmployees(db, companyId, [...new Set(shown)]) }
}

async function previewUndo(
  undoing: UndoServices,
  request: FastifyRequest<{ Params: { log_id: string } }>,
  how: Parameters<typeof undoEntry>[3],
) {
  const { status, body, preview = [] } = await undoEntry(undoing, getActing(request), request.params.log_id, how)
  const changes = new Map<number, AttributeChanges>()
  for (const event of preview)
    if (event.index !== null) changes.set(event.index, { ...changes.get(event.index), ...changesOf(event) })
  return status === 200
    ? { outcome: body as UndoOutcome, changes }
    : { outcome: refusedWhole(body as Problem), changes }
}

/** What a preview shows if nothing can be undone. */
function refusedWhole({ errors }: Problem): UndoOutcome {
  const ofRecord = Map.groupBy(errors, ({ index }) => index)
  const results = [...ofRecord].map(([index, some]) => ({
    index,
    id: some[0]!.id,
    status: null,
    result: 'failed' as const,
    changed: [],
    left: [],
    errors: some,
  }))
  const count = results.length
  const counts = { total: count, updated: 0, deactivated: 0, failed: count, no_updates: 0 }
  return { undoes: '', counts, attributes: { restored: 0, left: 0 }, results }
}
