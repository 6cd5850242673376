import { rulesOf } from '#domain/operations'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Budget } from '#admission/budget'
import { UPLOAD_OPERATIONS, type UploadOperation } from '#domain/uploads'
import type { StoredUpload } from '#ledger/uploads/read-uploads'
import { MAX_PARTS } from '#uploads/row-store'
import { maxFileBytes } from '#uploads/read-file'
import { cleanFileName } from '#uploads/store-file'
import { budgetFiles } from '#http/access/receive-files'
import { acceptFileForms, OTHER_BYTES, readFileForm } from '#http/server/file-form'
import { html, type Html } from '../parts/html.ts'
import { renderNameLink } from '../parts/links.ts'
import { NAVIGATION, UPLOAD_PATH } from '#wording/navigation'
import { formatNumber } from '#wording/numbers'
import { renderTable } from '../parts/table.ts'
import { renderTime } from '../parts/times.ts'
import { getViewer } from '../parts/viewer.ts'
import { renderCorrectedCall, type CorrectedCall } from './corrected-calls.ts'

const MIB = 1_048_576

/** Renders the form that uploads a file, as a correction of a failed call if one is given. */
export function renderUploadForm(
  corrected: CorrectedCall | null,
  { maxRecords, bodyLimit }: { maxRecords: number; bodyLimit: number },
): Html {
  return html`${
    corrected
      ? renderCorrectedCall(corrected)
      : html`<p>
          A CSV file, a workbook, or JSON of employees, as your system exports it.
          <a href="${UPLOAD_PATH}/template.csv" download>Download a template</a>
        </p>`
  }
    <form method="post" action="${UPLOAD_PATH}" enctype="multipart/form-data" class="stack">
      <input type="hidden" name="log" value="${corrected?.id ?? ''}" />
      <div class="field">
        <label for="file">File</label>
        <input id="file" name="file" type="file" accept=".csv,.json,.txt,.tsv,.xlsx,.xls,.ods,text/csv,application/json" required class="drop" aria-describedby="file-hint" />
        <p class="hint" id="file-hint">
          Choose a file or drop it here: at most ${formatNumber(MAX_PARTS * maxRecords)} records and
          ${formatNumber(Math.floor(maxFileBytes({ bodyLimit }) / MIB))} MiB. A file of more than
          ${formatNumber(maxRecords)} records is applied in parts.
        </p>
      </div>
      ${renderOperations(corrected ? rulesOf(corrected.operation).resentAs : 'upsert')}
      <div class="actions">
        <button class="primary">Preview</button><a class="button" href="${NAVIGATION.bulkUserLogs.path}">Cancel</a>
      </div>
      <p class="hint">The preview shows what the file would change. Nothing is applied before you confirm.</p>
    </form>`
}

const OPERATIONS: Readonly<Record<UploadOperation, readonly [label: string, hint: string]>> = {
  upsert: ['Create or update', 'Finds employees by external ID, or by email, and creates those who are not found.'],
  update_many: ['Update only', 'Finds employees by ID, external ID, or email. An unknown employee is an error.'],
  create: ['Create only', 'An employee who exists already is an error.'],
}

function renderOperations(chosen: UploadOperation): Html {
  return html`<fieldset>
    <legend>What to do</legend>
    ${UPLOAD_OPERATIONS.map(
      (value) =>
        html`<p>
          <label><input type="radio" name="operation" value="${value}" ${value === chosen && html`checked`} /> ${OPERATIONS[value][0]}</label>
          <span class="hint">${OPERATIONS[value][1]}</span>
        </p>`,
    )}
  </fieldset>`
}

/** What the state of an upload is called. */
const STATES: Readonly<Record<StoredUpload['state'], string>> = {
  previewing: 'Preparing the preview',
  previewed: 'Not applied yet',
  applying: 'Applying',
  stopped: 'Stopped',
  ended: 'Finished',
}

/** Renders links to the files that are stored. */
export function renderUploads(uploads: readonly StoredUpload[], timeZone: string): Html {
  if (uploads.length === 0) return html``
  return html`<h2>Uploaded files</h2>
    ${renderTable({
      caption: 'Uploaded files',
      columns: [
        { heading: 'File', cell: ({ id, fileName }) => renderNameLink(`${UPLOAD_PATH}/${id}`, fileName) },
        { heading: 'Uploaded', cell: ({ createdAt }) => renderTime(createdAt, timeZone) },
        { heading: 'Status', cell: ({ state }) => STATES[state] },
        { heading: 'Rows', count: ({ rows }) => rows },
      ],
      rows: uploads,
    })}
    <p class="hint">Uploaded files are deleted after a day. Their entries stay in Bulk User Logs.</p>`
}

/** The form of a file. */
export interface UploadForm {
  fileName: string
  /** Its bytes, in the chunks in which they were received. Null if no file was chosen. */
  content: Buffer[] | null
  /** Null if the form names none. */
  operation: UploadOperation | null
  /** The entry whose records the file corrects, as the form says; empty if none. */
  logId: string
}

/** The largest form, in bytes. */
export function maxFormBytes(bodyLimit: number): number {
  return maxFileBytes({ bodyLimit }) + OTHER_BYTES
}

/** Lets a scope receive forms with files, within the budget. */
export async function acceptUploads(
  app: FastifyInstance,
  { bodyLimit, fileBudget }: { bodyLimit: number; fileBudget: Budget },
): Promise<void> {
  const companyOf = (request: FastifyRequest) => getViewer(request).companyId
  budgetFiles(app, { fileBudget, maxBytes: maxFormBytes(bodyLimit), companyOf })
  await acceptFileForms(app, maxFileBytes({ bodyLimit }))
}

/** Reads the form of a request. Throws a problem if the file is too large, or the body is no such form. */
export async function readUpload(request: FastifyRequest, bodyLimit: number): Promise<UploadForm> {
  const { fields, file } = await readFileForm(request, maxFileBytes({ bodyLimit }))
  return {
    fileName: cleanFileName(file?.name ?? ''),
    content: file?.content ?? null,
    operation: UPLOAD_OPERATIONS.find((operation) => operation === fields.get('operation')) ?? null,
    logId: fields.get('log') ?? '',
  }
}
