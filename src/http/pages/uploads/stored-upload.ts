import { html } from 'hono/html'
import { addCounts, isApplicable, type PartCounts } from '../../../domain/uploads.ts'
import { listQuestions } from '../../../../clients/typescript/spreadsheets/mapping.ts'
import type { StoredPart, StoredUpload } from '../../../ledger/uploads/read-uploads.ts'
import type { Original } from '../../../ledger/uploads/originals.ts'
import type { PartPreview } from '../../../uploads/run-part.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import type { Html } from '../parts/page.ts'
import { formatCount, formatNumber } from '../parts/shown-values.ts'
import { renderTable } from '../parts/table.ts'
import { buildUploadUrl, UPLOAD_PATH } from '../parts/upload-address.ts'
import type { CorrectedEntry } from './corrected-calls.ts'
import { renderCorrectedEntries, renderUnasked } from './corrected-calls.ts'
import { renderReading } from './file-question.ts'
import { renderMapping } from './mapping-form.ts'
import type { ShownMissing } from './missing-people.ts'
import { formatPeople, renderConfirmation, renderMissing } from './missing-people.ts'
import { renderPreview, renderPreviewCounts } from './preview.ts'

/** What a page shows of an upload. */
export interface ShownUpload {
  upload: StoredUpload
  parts: readonly StoredPart[]
  /** What a part would do now; null if no part is shown. */
  shown: { number: number; preview: PartPreview } | null
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
  return mapping !== null && mapping.unreadable_values === 'refuse' && listQuestions(mapping).length > 0
}

/** The title of the page of an upload. */
export function titleOf({ upload, parts, shown }: ShownUpload): string {
  switch (upload.state) {
    case 'previewing':
      return 'Preview of the file'
    case 'previewed':
      if (isAsked(upload)) return 'Questions about the file'
      return isSingle(upload) && shown && !isApplicable(shown.preview.counts)
        ? 'File not applied'
        : 'Preview of the file'
    case 'applying':
      return 'Applying the file'
    case 'stopped':
      return 'Stopped'
    case 'ended':
      return parts.every(({ state }) => state === 'applied') ? 'File applied' : 'File applied in part'
  }
}

/** Renders a file whose preview is complete, or is being made: what it would do, and the button that applies it. */
export function renderPreviewed(given: ShownUpload): Html {
  const { upload, shown } = given
  const parts = given.parts.filter(({ missingOf }) => missingOf === null)
  const counts = isSingle(upload) && shown ? shown.preview.counts : addCounts(parts.map((part) => part.counts))
  const refused = parts.filter((part) => part.counts && !isApplicable(part.counts)).length
  const isWhole = isApplicable(counts) && sumOf(parts, 'erased') === 0
  return html`<p>${isSingle(upload) && !isApplicable(counts) && !isAsked(upload) ? 'Nothing was applied. Correct the file and upload it again.' : 'Nothing has been applied yet.'}</p>
    ${renderActions({ ...given, parts }, counts.unreadable === 0 && (isSingle(upload) ? counts.refused === 0 : refused < parts.length))}
    ${given.original ? renderReading(given.original) : ''}
    ${renderUnasked(upload.operation, given.corrected, counts)}
    ${renderMapping(upload, shown?.preview.records.examples ?? [])}
    ${isSingle(upload) ? '' : renderParts(given, refused)}
    ${renderPreviewCounts(counts)} ${renderCorrectedEntries(given.corrected)}
    ${given.isOwn ? renderMissing(upload, given.missing, isWhole) : ''}
    ${
      shown ? html`${isSingle(upload) ? '' : html`<h2>Part ${shown.number}</h2>`} ${renderPreview(shown.preview)}` : ''
    }`
}

function renderActions({ upload, isOwn, parts, shown, missing }: ShownUpload, isPossible: boolean): Html {
  const isComplete = upload.state === 'previewed'
  const rows = (isSingle(upload) && shown ? shown.preview.records.rows.length : upload.rows) - sumOf(parts, 'erased')
  const deactivating = missing.count > 0 ? ` and deactivate ${formatPeople(missing.count)}` : ''
  return html`<div class="actions">
    ${
      isComplete && isPossible && isOwn
        ? html`<form method="post" action="${UPLOAD_PATH}/${upload.id}/apply">
            ${renderConfirmation(missing)}
            <button class="primary">Apply ${formatCount(rows, 'record')}${deactivating}</button>
          </form>`
        : ''
    }
    <a class="button" href="${upload.corrects[0] === undefined ? UPLOAD_PATH : buildUploadUrl(upload.corrects[0])}">Choose another file</a>
    ${renderCancel(upload, 'Delete the file')}
  </div>`
}

function renderCancel({ id }: StoredUpload, label: string): Html {
  return html`<form method="post" action="${UPLOAD_PATH}/${id}/cancel"><button>${label}</button></form>`
}

function sumOf(parts: readonly StoredPart[], name: 'rows' | 'erased'): number {
  return parts.reduce((sum, part) => sum + part[name], 0)
}

/** Says how a large file is applied, and what each part would do. */
function renderParts({ upload, parts }: ShownUpload, refused: number): Html {
  const counted = parts.filter(({ counts }) => counts !== null).length
  return html`<p>
      The file is applied in <strong>${formatNumber(parts.length)} parts</strong>, one after the other. Managers come
      first, and other people follow in the order of the file. Each part is applied as a whole or not at all. If a part is
      refused, the parts before it stay applied, and those after it are still applied.
    </p>
    ${
      upload.state === 'previewing'
        ? html`<p role="status">Preparing the preview: ${formatNumber(counted)} of ${formatNumber(parts.length)} parts.</p>
            <progress max="${parts.length}" value="${counted}" aria-label="Preview"></progress>`
        : ''
    }
    ${
      refused === 0
        ? ''
        : html`<p class="alert" role="alert">
            ${formatNumber(refused)} ${refused === 1 ? 'part' : 'parts'} would be refused as a whole, because of the errors
            in ${refused === 1 ? 'it' : 'them'}.
          </p>`
    }
    ${renderPartTable(upload, parts)}`
}

const PART_STATES = { waiting: 'To come', applied: 'Applied', refused: 'Refused', canceled: 'Canceled' } as const

function renderPartTable({ state }: StoredUpload, parts: readonly StoredPart[]): Html {
  const isBefore = state === 'previewing' || state === 'previewed'
  const count = (of: (counts: PartCounts) => number) => (part: StoredPart) =>
    part.counts === null ? '…' : formatNumber(of(part.counts))
  const before = [
    { heading: 'Created', cell: count(({ created }) => created) },
    { heading: 'Changed', cell: count(({ changed }) => changed) },
    { heading: 'Unchanged', cell: count(({ unchanged }) => unchanged) },
    { heading: 'Refused', cell: count(({ refused, unreadable }) => refused + unreadable) },
  ]
  const after = [
    { heading: 'Status', cell: (part: StoredPart) => PART_STATES[part.state] },
    {
      heading: 'Entry',
      cell: (part: StoredPart) =>
        part.state === 'applied' || part.state === 'refused'
          ? html`<a href="${LOGS_PATH}/${part.callId}">Open its entry</a>`
          : '',
    },
  ]
  return renderTable<StoredPart>({
    caption: isBefore ? 'Preview of the parts' : 'Parts',
    isCaptionShown: true,
    columns: [
      {
        heading: 'Part',
        cell: ({ number, missingOf }) =>
          state === 'previewed' && missingOf === null ? html`<a href="?part=${number}">${number}</a>` : String(number),
      },
      { heading: 'Rows', cell: formatRows },
      ...(isBefore ? before : after),
    ],
    rows: parts,
  })
}

function formatRows({ firstRow, rows, erased, missingOf }: StoredPart): string {
  const gone = erased === 0 ? '' : ` (${formatNumber(erased)} erased)`
  if (missingOf !== null) return `${formatPeople(rows)} not in the file${gone}`
  return `${formatNumber(firstRow)}–${formatNumber(firstRow + rows - 1)}${gone}`
}

/** Renders a file that is being applied, or was: what was applied, what was refused, and what is still to come. */
export function renderProgress(given: ShownUpload): Html {
  const { upload, parts, isOwn } = given
  if (isSingle(upload) && upload.state === 'ended' && parts[0]?.state === 'applied')
    return html`<p role="status">All records of the file were applied.</p>
      <p class="actions"><a class="button primary" href="${LOGS_PATH}/${parts[0].callId}">Open its entry</a></p>
      ${renderCorrectedEntries(given.corrected)}`
  const isApplying = upload.state === 'applying'
  const waiting = parts.filter(({ state }) => state === 'waiting')
  const isAllApplied = parts.every(({ state }) => state === 'applied')
  return html`<p role="status">${describe(parts)}</p>
    <progress max="${parts.length}" value="${parts.length - waiting.length}" aria-label="Progress"></progress>
    ${isApplying ? html`<p class="hint">You can close this page: the file is applied all the same.</p>` : ''}
    ${
      upload.state === 'stopped'
        ? html`<p class="alert" role="alert">
            Stopped, because the user who uploaded the file was no longer an administrator.
            ${isOwn ? 'You can resume it.' : 'Only this user can resume it.'}
          </p>`
        : ''
    }
    <div class="actions">
      ${
        upload.state === 'stopped' && isOwn
          ? html`<form method="post" action="${UPLOAD_PATH}/${upload.id}/apply"><button class="primary">Resume</button></form>`
          : ''
      }
      ${waiting.length > 0 ? renderCancel(upload, 'Cancel the rest') : ''}
      ${isApplying || isAllApplied ? '' : html`<a class="button" href="/admin/v1/uploads/${upload.id}/not-applied.csv" download>Download rows not applied</a>`}
    </div>
    ${renderPartTable(upload, parts)} ${renderCorrectedEntries(given.corrected)}`
}

/** Says how many rows were applied, refused, and so on. */
function describe(parts: readonly StoredPart[]): string {
  const ofFile = parts.filter(({ missingOf }) => missingOf === null)
  const count = (state: StoredPart['state']) =>
    sumOf(
      ofFile.filter((part) => part.state === state),
      'rows',
    )
  const some = [
    [count('refused'), 'were refused'],
    [count('canceled'), 'were canceled'],
    [count('waiting'), 'are still to come'],
  ] as const
  const others = some.filter(([rows]) => rows > 0).map(([rows, what]) => `${formatNumber(rows)} ${what}`)
  return `${formatNumber(count('applied'))} of ${formatNumber(sumOf(ofFile, 'rows'))} rows were applied${others.length === 0 ? '' : `; ${others.join(', ')}`}.`
}
