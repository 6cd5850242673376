import type { Acting } from '#accounts/change-company'
import { eachInTurns } from '#admission/turns'
import { changesOf } from '#domain/employees/employee-history'
import type { Problem } from '#domain/errors'
import type { AttributeChanges } from '#domain/events'
import { readParts } from '#ledger/uploads/read-uploads'
import { requireUpload } from '#uploads/apply-upload'
import type { UploadRouteServices } from '#uploads/store-file'
import { listUndoable, requireUndoable } from '#uploads/undo-upload'
import { undoEntry, type StayingAttribute, type UndoOutcome, type UndoServices } from './undo-entry.ts'

/** Something that would stay as it is: an attribute of a person, or all about them if it is null. */
export interface Stay {
  employeeId: string | null
  attribute: StayingAttribute | null
  message: string
}

/** What undoing an entry or an upload would do now: numbers of all people, and the first of them. */
export interface UndoPreview {
  /** The numbers of people. Each counts once for each call that changed them. */
  people: { restored: number; partly: number; staying: number; same: number }
  attributes: { restored: number; left: number }
  /** What stays, and how many there are altogether. */
  stays: { first: Stay[]; total: number }
  /** Who gets old values, and how many there are altogether. */
  restored: { first: { employeeId: string | null; changes: AttributeChanges }[]; total: number }
  /** About how many characters the old and new values of these people have. */
  characters: number
}

/** The most people of each kind whom a preview names, and how many characters of values it has at least for fewer. */
const MAX_NAMED = 100
const MANY_CHARACTERS = 1_000_000

function startPreview(): UndoPreview {
  return {
    people: { restored: 0, partly: 0, staying: 0, same: 0 },
    attributes: { restored: 0, left: 0 },
    stays: { first: [], total: 0 },
    restored: { first: [], total: 0 },
    characters: 0,
  }
}

/** Previews the undo of an entry. Throws as `undoEntry` does. */
export async function previewEntryUndo(
  services: UndoServices,
  acting: Acting,
  logId: string,
  requestId: string,
): Promise<UndoPreview> {
  const preview = startPreview()
  await addUndo(preview, services, acting, logId, requestId)
  return preview
}

/**
 * Previews the undo of an upload, call by call, the last one first, each as if it were undone alone: one call at a time is
 * in memory. Throws RefusedByStateError as `undoUpload` does, and what the signal says.
 */
export async function previewUploadUndo(
  services: UndoServices & { uploads: UploadRouteServices },
  acting: Acting,
  uploadId: string,
  requestId: string,
  signal?: AbortSignal,
): Promise<UndoPreview> {
  const upload = await requireUpload(services.uploads, acting.companyId, uploadId)
  const parts = await readParts(services.uploads.pool, upload)
  requireUndoable(upload, parts)
  const preview = startPreview()
  for (const { callId } of listUndoable(parts).toReversed()) {
    signal?.throwIfAborted()
    await addUndo(preview, services, acting, callId, requestId)
  }
  return preview
}

async function addUndo(preview: UndoPreview, services: UndoServices, acting: Acting, logId: string, requestId: string) {
  const maxLookedInto = Math.max(0, MAX_NAMED - preview.stays.first.length)
  const how = { isAllOrNone: false, validateOnly: true, requestId, maxLookedInto }
  const { status, body, preview: events = [] } = await undoEntry(services, acting, logId, how)
  const outcome = status === 200 ? (body as UndoOutcome) : refusedWhole(body as Problem)
  const changes = new Map<number, AttributeChanges>()
  await eachInTurns(events, (event) => {
    if (event.index !== null) changes.set(event.index, { ...changes.get(event.index), ...changesOf(event) })
  })
  preview.attributes.restored += outcome.attributes.restored
  preview.attributes.left += outcome.attributes.left
  await eachInTurns(outcome.results, (result) => addResult(preview, result, changes.get(result.index) ?? {}))
}

function addResult(
  preview: UndoPreview,
  { id: employeeId, changed, left, errors }: UndoOutcome['results'][number],
  changes: AttributeChanges,
) {
  const { people, stays, restored } = preview
  const staying: Stay[] = [
    ...left.map((attribute) => ({ employeeId, attribute, message: attribute.message })),
    ...errors.map(({ message }) => ({ employeeId, attribute: null, message })),
  ]
  for (const stay of staying) if (stays.first.length < MAX_NAMED) stays.first.push(stay)
  stays.total += staying.length
  if (changed.length === 0) {
    people[staying.length > 0 ? 'staying' : 'same'] += 1
    return
  }
  people[staying.length > 0 ? 'partly' : 'restored'] += 1
  restored.total += 1
  if (restored.first.length >= MAX_NAMED || preview.characters >= MANY_CHARACTERS) return
  restored.first.push({ employeeId, changes })
  preview.characters += JSON.stringify(changes).length
}

/** What undoing a call would do if nothing of it can be undone. */
function refusedWhole({ errors }: Problem): Pick<UndoOutcome, 'attributes' | 'results'> {
  const results = [...Map.groupBy(errors, ({ index }) => index)].map(([index, some]) => ({
    index,
    id: some[0]!.id,
    status: null,
    result: 'failed' as const,
    changed: [],
    left: [],
    errors: some,
  }))
  return { attributes: { restored: 0, left: 0 }, results }
}
