import {
  addCounts,
  countApplicable,
  isApplicable,
  type PartCounts,
  summarize,
  type UploadSummary,
} from '#domain/uploads'
import type { Employee } from '#domain/employees/employee'
import { isWaiting, listQuestions, locateColumns, PHONE_TARGETS } from '#spreadsheets/mapping/mapping'
import { NEVER_LEFT_OUT } from '#spreadsheets/rows/read-records'
import { partsOfFile, type StoredPart, type StoredUpload } from '#ledger/uploads/read-uploads'
import type { Original } from '#ledger/uploads/store-upload'
import { isUndoable } from '#uploads/undo-upload'
import type { PartPreview } from '#uploads/run-part'
import { buildUploadUrl, NAVIGATION, UPLOAD_PATH } from '#wording/navigation'
import {
  html,
  renderTable,
  renderButton,
  renderActions,
  renderHint,
  type Html,
  renderAlert,
  renderDownload,
} from '#pages/parts/elements'
import { formatCount, formatNumber, formatPeople, isOrAre, wasOrWere } from '#wording/numbers'
import { renderCorrectedEntries, renderUnasked, type CorrectedEntry } from './corrected-calls.ts'
import { renderReading } from './file-question.ts'
import { renderLeaveOut, renderMapping } from './mapping-form.ts'
import { renderConfirmation, renderMissing, type ShownMissing } from './missing-people.ts'
import { renderPreview, renderPreviewCounts } from './preview.ts'

/** What a page shows of an upload. */
export interface ShownUpload {
  upload: StoredUpload
  parts: readonly StoredPart[]
  /** What a part would do now; null if no part is shown. */
  shown: {
    number: number
    preview: PartPreview
    employees: ReadonlyMap<string, Employee>
    /** Where local phone numbers are likely to be, if that is asked. */
    country: string | undefined
  } | null
  /** The entries that the file corrects. */
  corrected: readonly CorrectedEntry[]
  /** The people who are not in the file. */
  missing: ShownMissing
  /** How the file was read; null if that is not known any more. */
  original: Original | null
  /** Whether the viewer uploaded the file. */
  isOwn: boolean
}

const LOGS_PATH = NAVIGATION.bulkUserLogs.path

/** Whether a file is applied by one call. */
export const isSingle = ({ parts }: Pick<StoredUpload, 'parts'>) => parts === 1

/** Whether somebody has to answer questions about a file before its rows can be read. */
function isAsked({ mapping }: StoredUpload): boolean {
  return mapping !== null && isWaiting(mapping)
}

/** The title of the page of an upload, and what its heading has before the name of the file. */
export function titleOf({ upload, parts, shown }: ShownUpload): readonly [title: string, heading: string] {
  if (upload.undoes !== null)
    return upload.state === 'ended' ? ['File undone', 'Undone:'] : ['Undoing the file', 'Undoing the file:']
  switch (upload.state) {
    case 'previewing':
      return PREVIEW
    case 'previewed':
      if (isAsked(upload)) return ['Questions about the file', 'Questions about']
      return shown && canApplyNothing({ upload, parts, shown }) ? ['File not applied', 'Errors in'] : PREVIEW
    case 'applying':
      return ['Applying the file', 'Applying the file:']
    case 'stopped':
      return ['Stopped', 'Stopped:']
    case 'ended':
      return isAllApplied(summarize(partsOfFile(parts)))
        ? ['File applied', 'File applied:']
        : ['File applied in part', 'File applied in part:']
  }
}

const PREVIEW = ['Preview of the file', 'Preview of'] as const

/** What a file would do without the rows that cannot be applied. */
function countAll({ upload, parts, shown }: Pick<ShownUpload, 'upload' | 'parts' | 'shown'>) {
  return isSingle(upload) && shown ? shown.preview.counts : addCounts(partsOfFile(parts).map(({ counts }) => counts))
}

function canApplyNothing(given: Pick<ShownUpload, 'upload' | 'parts' | 'shown'>): boolean {
  const counts = countAll(given)
  return !isApplicable(counts) && countApplicable(counts) === 0
}

function isAllApplied({ rows, applied, erased }: UploadSummary): boolean {
  return applied + erased === rows
}

/** Renders a file whose preview is complete, or is being made: what it would do, and the button that applies it. */
export function renderPreviewed(given: ShownUpload) {
  const { upload, shown } = given
  const counts = countAll(given)
  const isWhole = isApplicable(counts) && countErased(partsOfFile(given.parts)) === 0
  const state =
    canApplyNothing(given) && !isAsked(upload)
      ? 'Nothing was applied. Change how the file is read, or correct it and upload it again.'
      : 'Nothing has been applied yet.'
  return html`<p>${state}</p>
    ${renderOffers(given, counts)}
    ${given.original && renderReading(given.original)}
    ${renderUnasked(upload.operation, given.corrected, counts)}
    ${renderMappingOf(given)}
    ${!isSingle(upload) && renderParts(given)}
    ${!isAsked(upload) && renderPreviewCounts(counts)} ${renderCorrectedEntries(given.corrected)}
    ${given.isOwn && renderMissing(upload, given.missing, isWhole)}
    ${
      shown &&
      !isAsked(upload) &&
      html`${!isSingle(upload) && html`<h2>Part ${shown.number}</h2>`} ${renderPreview(shown.preview, shown.employees)}`
    }`
}

/** Renders what the columns mean, for the user who can change it. */
function renderMappingOf({ upload, shown, isOwn }: ShownUpload) {
  if (shown && isOwn) return renderMapping(upload, shown.preview, shown.country)
  return isAsked(upload) ? html`<p>Only the user who uploaded the file can answer the questions about it.</p>` : html``
}

function renderOffers({ upload, shown, isOwn, parts, missing }: ShownUpload, counts: PartCounts) {
  const rows = upload.rows - countErased(partsOfFile(parts))
  const applicable = Math.min(countApplicable(counts), rows)
  const isOffered = upload.state === 'previewed' && isOwn && applicable > 0
  const left = isOffered ? rows - applicable : 0
  const deactivating = missing.count > 0 ? ` and deactivate ${formatPeople(missing.count)}` : ''
  const button =
    left === 0
      ? html`<button class="primary">Apply ${formatCount(rows, 'record')}${deactivating}</button>`
      : html`<button class="primary" name="all_or_none" value="false">
          Apply ${formatNumber(applicable)} of ${formatCount(rows, 'record')}
        </button>`
  return html`${left !== 0 && html`<p>${describeLeft(left)}</p>`}
    <div class="actions">
      ${isOffered && renderPost(upload, 'apply', html`${renderConfirmation(missing)} ${button}`)}
      ${isOwn && canLeaveOut(upload, shown) && renderLeaveOut(upload)}
      ${renderButton(buildUploadUrl(upload.corrects[0]), 'Choose another file')}
      ${renderCancel(upload, 'Delete the file')}
    </div>`
}

/** Whether rows that cannot be read may go in without some of their values. */
function canLeaveOut({ header, mapping }: StoredUpload, shown: ShownUpload['shown']): boolean {
  const isRefusing = mapping?.unreadable_values === 'refuse' && listQuestions(mapping).length === 0
  if (!isRefusing || shown === null) return false
  const { records, errors } = shown.preview
  const places = locateColumns(header ?? [], mapping.columns)
  const kept = new Set(places.filter((_, at) => NEVER_LEFT_OUT.has(mapping.columns[at]!.to)))
  return (
    records.faults.some(({ column }) => column !== null && !kept.has(column - 1)) ||
    errors.some(({ pointer }) => PHONE_TARGETS.some((name) => pointer.endsWith(`/${name}`)))
  )
}

function countErased(parts: readonly StoredPart[]): number {
  return parts.reduce((sum, { erased }) => sum + erased, 0)
}

function describeLeft(left: number): string {
  const [records, these] =
    left === 1 ? ['One record has', 'this one with its'] : [`${formatNumber(left)} records have`, 'these with their']
  return `${records} errors. You can apply the others, and download ${these} errors afterwards.`
}

function renderCancel(upload: StoredUpload, label: string) {
  return renderPost(upload, 'cancel', html`<button>${label}</button>`)
}

function renderPost({ id }: StoredUpload, action: string, content: Html) {
  return html`<form method="post" action="${UPLOAD_PATH}/${id}/${action}">${content}</form>`
}

/** Says how a large file is applied, and what each part would do. */
function renderParts({ upload, parts }: ShownUpload) {
  const counted = parts.filter(({ counts }) => counts !== null).length
  return html`<p>
      The file is applied in <strong>${formatNumber(parts.length)} parts</strong>, one after the other. Managers come
      first, and other people follow in the order of the file. If a part is refused, those before it stay applied, and
      those after it are still applied.
    </p>
    ${
      upload.state === 'previewing' &&
      html`<p role="status">Preparing the preview: ${formatNumber(counted)} of ${formatNumber(parts.length)} parts.</p>
            <progress max="${parts.length}" value="${counted}" aria-label="Preview"></progress>`
    }
    ${renderPartTable(upload, parts)}`
}

const PART_STATES = { waiting: 'To come', applied: 'Applied', refused: 'Refused', canceled: 'Canceled' } as const

function renderPartTable({ state }: StoredUpload, parts: readonly StoredPart[]) {
  const isBefore = state === 'previewing' || state === 'previewed'
  const count = (of: (counts: PartCounts) => number) => (part: StoredPart) =>
    part.counts === null ? '…' : formatNumber(of(part.counts))
  const before = {
    Created: count(({ created }) => created),
    Changed: count(({ changed }) => changed),
    Unchanged: count(({ unchanged }) => unchanged),
    Refused: count(({ refused, unreadable }) => refused + unreadable),
  }
  const once = (of: (summary: UploadSummary) => number) => (part: StoredPart) =>
    part.state === 'waiting' ? '' : formatNumber(of(summarize([part])))
  const after = {
    Status: (part: StoredPart) => PART_STATES[part.state],
    Applied: once(({ applied }) => applied),
    Refused: once(({ refused }) => refused),
    Entry: (part: StoredPart) => (part.isCalled ? html`<a href="${LOGS_PATH}/${part.callId}">Open its entry</a>` : ''),
  }
  return renderTable<StoredPart>({
    caption: isBefore ? 'Preview of the parts' : 'Parts',
    isCaptionShown: true,
    columns: {
      Part: ({ number, missingOf }) =>
        state === 'previewed' && missingOf === null ? html`<a href="?part=${number}">${number}</a>` : String(number),
      Rows: formatRows,
      ...(isBefore ? before : after),
    },
    rows: parts,
  })
}

function formatRows({ firstRow, rows, erased, missingOf }: StoredPart): string {
  const gone = erased === 0 ? '' : ` (${formatNumber(erased)} erased)`
  if (missingOf !== null) return `${formatPeople(rows)} not in the file${gone}`
  return `${formatNumber(firstRow)}–${formatNumber(firstRow + rows - 1)}${gone}`
}

/** Renders a file that is being applied, or was: what was applied, what was refused, and what is still to come. */
export function renderProgress(given: ShownUpload) {
  const { upload, parts, isOwn } = given
  const summary = summarize(partsOfFile(parts))
  const isUndo = upload.undoes !== null
  if (!isUndo && isSingle(upload) && upload.state === 'ended' && parts[0]?.state === 'applied' && isAllApplied(summary))
    return html`<p role="status">All records of the file were applied.</p>
      ${renderActions(renderButton(`${LOGS_PATH}/${parts[0].callId}`, 'Open its entry', 'primary'))}
      ${renderUndo(upload, parts)}
      ${renderCorrectedEntries(given.corrected)}`
  const isApplying = upload.state === 'applying'
  const waiting = parts.filter(({ state }) => state === 'waiting')
  return html`<p role="status">${isUndo ? describeUndone(summary) : describe(summary)} ${describeMissing(parts)}</p>
    <progress max="${parts.length}" value="${parts.length - waiting.length}" aria-label="Progress"></progress>
    ${isApplying && renderHint('You can close this page: the work continues.')}
    ${
      upload.state === 'stopped' &&
      renderAlert(
        html`Stopped, because the user who uploaded the file was no longer an administrator.
        ${isOwn ? 'You can resume it.' : 'Only this user can resume it.'}`,
      )
    }
    <div class="actions">
      ${
        upload.state === 'stopped' &&
        isOwn &&
        renderPost(upload, 'apply', html`<button class="primary">Resume</button>`)
      }
      ${waiting.length > 0 && renderCancel(upload, 'Cancel the rest')}
      ${
        !isApplying &&
        !isUndo &&
        !isAllApplied(summary) &&
        renderDownload(`/admin/v1/uploads/${upload.id}/not-applied.csv`, 'Download rows not applied')
      }
    </div>
    ${renderUndo(upload, parts)}
    ${renderPartTable(upload, parts)} ${renderCorrectedEntries(given.corrected)}`
}

/** Leads to what taking back a file that was applied would do. */
function renderUndo(upload: StoredUpload, parts: readonly StoredPart[]) {
  if (!isUndoable(upload, parts)) return html``
  return renderActions(renderButton(`${UPLOAD_PATH}/${upload.id}/undo`, 'Undo…'))
}

/** Says what became of the people who are not in the file, if it was to deactivate them. */
function describeMissing(parts: readonly StoredPart[]): string {
  const missing = parts.filter(({ missingOf }) => missingOf !== null)
  const { rows, applied, waiting } = summarize(missing)
  if (rows === 0) return ''
  if (waiting > 0) return `${formatPeople(rows)} not in the file will be deactivated.`
  if (applied === 0) return 'Nobody who is not in the file was deactivated.'
  return `${formatNumber(applied)} of ${formatPeople(rows)} not in the file ${wasOrWere(applied)} deactivated.`
}

/** Says how far an undo is. What of a person had to stay, the entries say. */
function describeUndone({ rows, changed, waiting }: UploadSummary): string {
  const left = waiting === 0 ? '' : `; ${formatNumber(waiting)} ${isOrAre(waiting)} still to come`
  const done = `${formatNumber(changed)} of ${formatPeople(rows)} got their old values back${left}`
  return `${done}. The entries say what stayed.`
}

/** Says how many rows were applied, refused, and so on. */
function describe({ rows, applied, refused, canceled, waiting, erased }: UploadSummary): string {
  const others = [
    [refused, `${wasOrWere(refused)} refused`],
    [canceled, `${wasOrWere(canceled)} canceled`],
    [erased, `${wasOrWere(erased)} erased`],
    [waiting, `${isOrAre(waiting)} still to come`],
  ] as const
  const done = `${formatNumber(applied)} of ${formatCount(rows, 'row')} ${wasOrWere(rows)} applied`
  const some = others.filter(([count]) => count > 0).map(([count, what]) => `${formatNumber(count)} ${what}`)
  return `${[done, ...(some.length === 0 ? [] : [some.join(', ')])].join('; ')}.`
}
