import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Readable } from 'node:stream'
import { html } from 'hono/html'
import type { Problem, RecordError } from '../../../domain/errors.ts'
import { isId } from '../../../domain/ids.ts'
import { listTemplateColumns } from '../../../../clients/typescript/spreadsheets/record-columns.ts'
import { sendAttachment } from '../../admin/attachment.ts'
import { CSV_TYPE, writeCsvHeader } from '../../admin/csv-text.ts'
import { requireItem, getViewer, requireViewer } from '../parts/viewer.ts'
import type { FormProblem } from '../parts/form.ts'
import { renderFormAlert, toFormProblem } from '../parts/form.ts'
import { renderBreadcrumb, sendUserPage } from '../parts/layout.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import type { Html } from '../parts/page.ts'
import type { PageServices } from '../parts/page-services.ts'
import { formatNumber } from '../parts/shown-values.ts'
import { buildUploadUrl, UPLOAD_PATH } from '../parts/upload-address.ts'
import { countEffects, renderEffects, renderFileFaults, renderPreviewCounts, renderRecordErrors } from './preview.ts'
import type { UploadedFile } from './read-file.ts'
import { readFile } from './read-file.ts'
import type { UploadForm } from './read-upload.ts'
import { acceptUploads, maxFormBytes, readUpload } from './read-upload.ts'
import { findCorrected, runUpload } from './upload-call.ts'

const LOGS_PATH = NAVIGATION.bulkUserLogs.path

/** `/settings/bulk-user-logs/upload`: choosing a file, a preview of what it does, and applying it. */
export async function addUploadPages(app: FastifyInstance, services: PageServices): Promise<void> {
  const { access, sessions, bodyLimit } = services
  app.get(UPLOAD_PATH, async (request, reply) => {
    const { log } = request.query as { log?: unknown }
    return sendForm(services, request, reply, typeof log === 'string' && isId('log', log) ? log : '', null)
  })
  app.get(`${UPLOAD_PATH}/template.csv`, async (_, reply) =>
    sendAttachment(reply, 'employees.csv', CSV_TYPE, Readable.from([writeCsvHeader(listTemplateColumns())])),
  )
  await app.register(async (scope) => {
    // Before the body is read, which may be large.
    scope.addHook('onRequest', requireViewer(access, sessions))
    scope.addHook('onRequest', requireItem(NAVIGATION.bulkUserLogs))
    await acceptUploads(scope, services)
    scope.post(UPLOAD_PATH, { bodyLimit: maxFormBytes(bodyLimit) }, async (request, reply) => {
      let form: UploadForm
      try {
        form = await readUpload(request, bodyLimit)
      } catch (error) {
        return sendForm(services, request, reply, '', toFormProblem(error))
      }
      return receive(services, request, reply, form)
    })
  })
}

async function receive(
  services: PageServices,
  request: FastifyRequest,
  reply: FastifyReply,
  form: UploadForm,
): Promise<FastifyReply> {
  const { commands, reads } = services
  const { companyId } = getViewer(request)
  if (!form.content) return sendForm(services, request, reply, form.logId, null, 'Choose a file first.')
  const file = await readFile(form.content, form.uses, commands.maxRecords)
  if (file.faults.length > 0) return sendPreview(request, reply.code(422), form, file, renderFileFaults(file.faults))
  const corrects = await findCorrected(await reads.of(companyId, request.left), companyId, file, form)
  const isApplied = form.isApplied && form.token !== ''
  const { status, body, preview, callId } = await runUpload(commands, request, form, file, {
    corrects,
    validateOnly: !isApplied,
  })
  const answer = (typeof body === 'string' ? JSON.parse(body) : body) as UploadAnswer
  if (status >= 400) return sendPreview(request, reply.code(status), form, file, renderRefusal(answer, file))
  if (isApplied) return sendApplied(request, reply, callId ?? answer.log_id ?? '')
  return sendPreview(
    request,
    reply,
    form,
    file,
    html`${renderPreviewCounts(countEffects(preview ?? [], file.count))} ${renderEffects(preview ?? [], file)}`,
    services.commands.newId('log'),
  )
}

/** What the body of an answer may hold. */
interface UploadAnswer extends Partial<Problem> {
  log_id?: string
  errors?: RecordError[]
}

function renderRefusal(
  { detail = '', errors = [], errors_omitted: omitted = 0 }: UploadAnswer,
  file: UploadedFile,
): Html {
  const refused = new Set(errors.map(({ index }) => index)).size
  const counts = { created: 0, changed: 0, unchanged: 0, refused }
  return html`<p class="alert" role="alert">${detail}.</p>
    ${errors.length === 0 ? '' : renderPreviewCounts(counts)} ${renderRecordErrors(errors, file)}
    ${omitted > 0 ? html`<p class="hint">and ${formatNumber(omitted)} more errors</p>` : ''}`
}

async function sendApplied(request: FastifyRequest, reply: FastifyReply, logId: string): Promise<FastifyReply> {
  return sendUserPage(request, reply, getViewer(request), {
    title: 'File applied',
    body: html`${renderBreadcrumb(NAVIGATION.bulkUserLogs)}
      <h1>File applied</h1>
      <p role="status">All records of the file were applied.</p>
      <p class="actions"><a class="button primary" href="${LOGS_PATH}/${logId}">Open its entry</a></p>`,
  })
}

async function sendForm(
  { commands, bodyLimit }: PageServices,
  request: FastifyRequest,
  reply: FastifyReply,
  logId: string,
  problem: FormProblem,
  hint = '',
): Promise<FastifyReply> {
  const isCorrection = logId !== ''
  const title = isCorrection ? 'Fix and send again' : 'Upload a file'
  if (problem) void reply.code(problem.status)
  return sendUserPage(request, reply, getViewer(request), {
    title,
    body: html`${renderBreadcrumb(NAVIGATION.bulkUserLogs)}
      <h1>${title}</h1>
      ${renderFormAlert(problem)} ${hint === '' ? '' : html`<p class="alert" role="alert">${hint}</p>`}
      ${
        isCorrection
          ? html`<p>
              Download the failed records, correct them in a spreadsheet, and upload the file.
              <a href="/admin/v1/bulk-user-logs/${logId}/failed-records.csv" download>Download failed records</a>
            </p>`
          : html`<p>
              A CSV or JSON file that creates or updates employees.
              <a href="${UPLOAD_PATH}/template.csv" download>Download a template</a>
            </p>`
      }
      <form method="post" action="${UPLOAD_PATH}" enctype="multipart/form-data" class="stack">
        <input type="hidden" name="log" value="${logId}" />
        <div class="field">
          <label for="file">File</label>
          <input id="file" name="file" type="file" accept=".csv,.json,.txt,text/csv,application/json" required class="drop" aria-describedby="file-hint" />
          <p class="hint" id="file-hint">
            Choose a file or drop it here: at most ${formatNumber(commands.maxRecords)} records and
            ${formatNumber(Math.floor(bodyLimit / 1_048_576))} MiB.
          </p>
        </div>
        ${renderOperations('upsert')}
        <div class="actions">
          <button class="primary">Preview</button><a class="button" href="${LOGS_PATH}">Cancel</a>
        </div>
        <p class="hint">The preview shows what the file would change. Nothing is applied before you confirm.</p>
      </form>`,
  })
}

const OPERATIONS = [
  ['upsert', 'Create or update', 'Finds employees by external_id, or by email, and creates those who are not found.'],
  ['update_many', 'Update only', 'Finds employees by id, external_id, or email. An unknown employee is an error.'],
] as const

function renderOperations(chosen: UploadForm['operation']): Html {
  return html`<fieldset>
    <legend>What to do</legend>
    ${OPERATIONS.map(
      ([value, label, hint]) =>
        html`<p>
          <label><input type="radio" name="operation" value="${value}" ${value === chosen ? html`checked` : ''} /> ${label}</label>
          <span class="hint">${hint}</span>
        </p>`,
    )}
  </fieldset>`
}

/** Sends what a file would do. With a token, the form applies it; else it only previews it again. */
async function sendPreview(
  request: FastifyRequest,
  reply: FastifyReply,
  form: UploadForm,
  file: UploadedFile,
  outcome: Html,
  token = '',
): Promise<FastifyReply> {
  const hidden = (name: string, value: string) => html`<input type="hidden" name="${name}" value="${value}" />`
  return sendUserPage(request, reply, getViewer(request), {
    title: token === '' ? 'File not applied' : 'Preview of the file',
    body: html`${renderBreadcrumb(NAVIGATION.bulkUserLogs, [{ label: 'Upload a file', path: UPLOAD_PATH }])}
      <h1>${token === '' ? 'Errors in' : 'Preview of'} <bdi>${form.fileName}</bdi></h1>
      <p>${token === '' ? 'Nothing was applied. Correct the file and upload it again.' : 'Nothing has been applied yet.'}</p>
      <form method="post" action="${UPLOAD_PATH}" enctype="multipart/form-data">
        ${hidden('content', form.content!.toString('base64'))} ${hidden('file_name', form.fileName)} ${hidden('log', form.logId)}
        ${hidden('operation', form.operation)} ${token === '' ? '' : hidden('token', token)}
        ${renderUnknownColumns(file, form)}
        <div class="actions">
          ${
            token === ''
              ? ''
              : html`<button class="primary" name="apply" value="yes">
                  Apply ${formatNumber(file.count)} ${file.count === 1 ? 'record' : 'records'}
                </button>`
          }
          ${file.unknown.length === 0 ? '' : html`<button>Preview again</button>`}
          <a class="button" href="${form.logId === '' ? UPLOAD_PATH : buildUploadUrl(form.logId)}">Choose another file</a>
        </div>
      </form>
      ${outcome}`,
  })
}

function renderUnknownColumns({ unknown }: UploadedFile, { uses }: UploadForm): Html {
  if (unknown.length === 0) return html``
  return html`<fieldset class="uses">
    <legend>Columns that are no attributes</legend>
    ${unknown.map(
      (name, at) =>
        html`<p>
          <input type="hidden" name="column.${at}" value="${name}" />
          <label for="use-${at}"><bdi>${name}</bdi></label>
          <select id="use-${at}" name="use.${at}">
            ${(
              [
                ['', 'An error'],
                ['custom', 'A custom attribute'],
                ['ignore', 'Ignore'],
              ] as const
            ).map(
              ([value, label]) =>
                html`<option value="${value}" ${(uses.get(name) ?? '') === value ? html`selected` : ''}>${label}</option>`,
            )}
          </select>
        </p>`,
    )}
  </fieldset>`
}
