import type { FastifyInstance, FastifyRequest, FastifyReply } from 'fastify'
import { Readable } from 'node:stream'
import { rulesOf } from '#domain/operations'
import type { Budget } from '#admission/budget'
import { UPLOAD_OPERATIONS, type UploadOperation, isApplicable } from '#domain/uploads'
import {
  type StoredUpload,
  type StoredPart,
  listUploads,
  NO_SUCH_UPLOAD,
  readParts,
} from '#ledger/uploads/read-uploads'
import { MAX_PARTS } from '#uploads/row-store'
import { maxFileBytes } from '#uploads/read-file'
import type { ReceivedFile } from '#ledger/uploads/received-file'
import { cleanFileName, receiveFile } from '#uploads/store-file'
import { budgetFiles } from '#http/access/body-budget'
import { acceptFileForms, OTHER_BYTES, readFileForm, requireFileForm } from '#http/server/file-form'
import { NAVIGATION, UPLOAD_PATH, buildUploadUrl } from '#wording/navigation'
import { formatNumber } from '#wording/numbers'
import { findEmployees } from '#projections/employees/queries'
import { type Problem, problem } from '#domain/errors'
import { isId } from '#domain/ids'
import { isPhone, locateColumns } from '#spreadsheets/mapping/mapping'
import { findCountry, isPhoneCountry } from '#spreadsheets/values/read-phone'
import { listTemplateColumns } from '#spreadsheets/mapping/record-columns'
import { type StoredQuestion, UNANSWERED } from '#spreadsheets/formats/file-question'
import { cancelUpload } from '#ledger/uploads/change-upload'
import { findOriginal, forgetOriginal, type Original } from '#ledger/uploads/store-upload'
import { applyUpload, requireOwnUpload, requireUpload } from '#uploads/apply-upload'
import { FileFaultError } from '#uploads/part-builder'
import type { PartRecords } from '#uploads/part-records'
import { mapUpload } from '#uploads/map-upload'
import { previewPart } from '#uploads/run-part'
import { rereadFile, storeOrAsk } from '#uploads/reread-file'
import { MAX_MAPPING_BYTES } from '#api/admin/uploads/mapping-schema'
import { sendAttachment } from '#http/server/text-stream'
import { CSV_TYPE, writeCsvHeader } from '#log/csv-text'
import { NO_SUCH_ENTRY } from '#ledger/corrections/corrections'
import { ProblemError } from '#http/server/problem'
import { readUploadId } from '#api/admin/uploads/upload-answer'
import {
  html,
  type Html,
  renderNameLink,
  renderTable,
  renderTime,
  isolate,
  renderActions,
  renderButton,
  renderHint,
} from '#pages/parts/elements'
import { getViewer, type PageServices, getActing, requireItem, requireViewer } from '#pages/parts/context'
import {
  readFormFields,
  renderFormAlert,
  toFormProblem,
  type FormProblem,
  renderHidden,
  renderRadios,
} from '#pages/parts/form'
import { renderBreadcrumb, sendUserPage } from '#pages/parts/layout'
import { renderCorrectedCall, type CorrectedCall, readCorrectedCall, readCorrectedEntries } from './corrected-calls.ts'
import { addMissingActions, readConfirmed, showMissing } from './missing-people.ts'
import { readMapping } from './mapping-form.ts'
import { listShownEmployees, renderFileFaults } from './preview.ts'
import { renderPreviewed, renderProgress, titleOf, type ShownUpload } from './stored-upload.ts'
import { readAnswers, renderQuestion } from './file-question.ts'

const MIB = 1_048_576
const ACCEPTED = '.csv,.json,.txt,.tsv,.xlsx,.xls,.ods,text/csv,application/json'

/** Renders the form that uploads a file, as a correction of a failed call if one is given. */
function renderUploadForm(
  corrected: CorrectedCall | null,
  { maxRecords, bodyLimit }: { maxRecords: number; bodyLimit: number },
) {
  return html`${
    corrected
      ? renderCorrectedCall(corrected)
      : html`<p>
          A CSV file, a workbook, or a JSON file of employees, as exported by your system.
          <a href="${UPLOAD_PATH}/template.csv" download>Download a template</a>
        </p>`
  }
    <form method="post" action="${UPLOAD_PATH}" enctype="multipart/form-data" class="stack">
      ${renderHidden('log', corrected?.id ?? '')}
      <div class="field">
        <label for="file">File</label>
        <input
          id="file"
          name="file"
          type="file"
          accept="${ACCEPTED}"
          required
          class="drop"
          aria-describedby="file-hint"
        />
        <p class="hint" id="file-hint">
          Choose a file or drop it here: at most ${formatNumber(MAX_PARTS * maxRecords)} records and
          ${formatNumber(Math.floor(maxFileBytes({ bodyLimit }) / MIB))} MiB. A file of more than
          ${formatNumber(maxRecords)} records is applied in parts.
        </p>
      </div>
      ${renderRadios(
        'What to do',
        'operation',
        corrected ? rulesOf(corrected.operation).resentAs : 'upsert',
        UPLOAD_OPERATIONS.map((value) => ({ value, ...OPERATIONS[value] })),
      )}
      <div class="actions">
        <button class="primary">Preview</button>${renderButton(NAVIGATION.bulkUserLogs.path, 'Cancel')}
      </div>
      ${renderHint('The preview shows what the file would change. Nothing is applied before you confirm.')}
    </form>`
}

const OPERATIONS: Readonly<Record<UploadOperation, { label: string; hint: string }>> = {
  upsert: {
    label: 'Create or update',
    hint: 'Finds employees by external ID, or by email, and creates those who do not exist.',
  },
  update_many: {
    label: 'Update only',
    hint: 'Finds employees by ID, external ID, or email. An unknown employee is an error.',
  },
  create: { label: 'Create only', hint: 'An employee who already exists is an error.' },
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
function renderUploads(uploads: readonly StoredUpload[], timeZone: string) {
  if (uploads.length === 0) return html``
  return html`<h2>Uploaded files</h2>
    ${renderTable({
      caption: 'Uploaded files',
      columns: {
        File: ({ id, fileName }) => renderNameLink(`${UPLOAD_PATH}/${id}`, fileName),
        Uploaded: ({ createdAt }) => renderTime(createdAt, timeZone),
        Status: ({ state }) => STATES[state],
        Rows: { count: ({ rows }) => rows },
      },
      rows: uploads,
    })}
    ${renderHint('Uploaded files are deleted after a day. Their entries stay in Bulk User Logs.')}`
}

/** The form of a file. */
interface UploadForm {
  fileName: string
  /** Null if the form names none. */
  operation: UploadOperation | null
  /** The entry whose records the file corrects, as the form says; empty if none. */
  logId: string
}

/** The largest form, in bytes. */
function maxFormBytes(bodyLimit: number): number {
  return maxFileBytes({ bodyLimit }) + OTHER_BYTES
}

/** Lets a scope receive forms with files, within the budget. */
async function acceptUploads(
  app: FastifyInstance,
  { bodyLimit, fileBudget }: { bodyLimit: number; fileBudget: Budget },
) {
  const companyOf = (request: FastifyRequest) => getViewer(request).companyId
  budgetFiles(app, { fileBudget, maxBytes: maxFormBytes(bodyLimit), companyOf })
  await acceptFileForms(app, maxFileBytes({ bodyLimit }))
}

/** Reads the form of a request, and its file. Throws a problem if that is too large, or the body is no such form. */
async function readUpload(request: FastifyRequest, bodyLimit: number, file: ReceivedFile): Promise<UploadForm> {
  const { fields, fileName } = await readFileForm(request, maxFileBytes({ bodyLimit }), (chunk) => file.add(chunk))
  return {
    fileName: cleanFileName(fileName),
    operation: UPLOAD_OPERATIONS.find((operation) => operation === fields.get('operation')) ?? null,
    logId: fields.get('log') ?? '',
  }
}

/** How often the page of a file shows its progress: with scripts, and without. */
const REFRESH_MS = 1_000
const RELOAD_SECONDS = 2

/** `/settings/bulk-user-logs/upload`: choosing a file, and the page of each file: its preview, and how far it is. */
export async function addUploadPages(app: FastifyInstance, services: PageServices) {
  const { access, sessions, uploads, fileBudget } = services
  app.get(UPLOAD_PATH, async (request, reply) => {
    const { log } = request.query as { log?: unknown }
    return sendForm(services, reply, typeof log === 'string' ? log : '', null)
  })
  app.get(`${UPLOAD_PATH}/template.csv`, async (_, reply) =>
    sendAttachment(reply, 'employees.csv', CSV_TYPE, Readable.from([writeCsvHeader(listTemplateColumns())])),
  )
  addStoredUploadPages(app, services)
  addMissingActions(app, services)
  await app.register(async (scope) => {
    // Before the body is read, which may be large.
    scope.addHook('onRequest', requireViewer(access, sessions))
    scope.addHook('onRequest', requireItem(NAVIGATION.bulkUserLogs))
    await acceptUploads(scope, { bodyLimit: uploads.bodyLimit, fileBudget })
    const options = { bodyLimit: maxFormBytes(uploads.bodyLimit), onRequest: requireFileForm }
    scope.post(UPLOAD_PATH, options, async (request, reply) => {
      const acting = getActing(request)
      return receiveFile(uploads, acting.companyId, async (content) => {
        let form: UploadForm | null = null
        try {
          form = await readUpload(request, uploads.bodyLimit, content)
          if (content.bytes === 0) throw new ProblemError(NO_FILE)
          const file = { ...form, content, answers: UNANSWERED }
          const id = await storeOrAsk(uploads, acting, file, request.reading!)
          return await reply.redirect(`${UPLOAD_PATH}/${id}`, 303)
        } catch (error) {
          if (error instanceof FileFaultError && form) return sendFaults(reply, error, describeRefused(form))
          return sendForm(services, reply, form?.logId ?? '', toFormProblem(error))
        }
      })
    })
    scope.post(`${UPLOAD_PATH}/:id/read`, async (request, reply) => {
      const { companyId } = getViewer(request)
      const original = await findOriginal(uploads.pool, { companyId, id: readUploadId(request) })
      if (!original) throw new ProblemError(NO_SUCH_UPLOAD)
      const answers = readAnswers(readFormFields(request.body), original.answers)
      try {
        const reading = { ...uploads, fileBudget }
        const id = await rereadFile(reading, getActing(request), original, answers, request.reading!)
        return await reply.redirect(`${UPLOAD_PATH}/${id}`, 303)
      } catch (error) {
        if (error instanceof FileFaultError) return sendFaults(reply, error, describeRefused(original))
        throw error
      }
    })
  })
}

const NO_FILE: Problem = { ...problem('validation_failed', 'Choose a file first'), status: 200 }

function addStoredUploadPages(app: FastifyInstance, services: PageServices) {
  const { uploads } = services
  app.get(`${UPLOAD_PATH}/:id`, async (request, reply) => {
    const { companyId, userId } = getViewer(request)
    const id = readUploadId(request)
    const original = await findOriginal(uploads.pool, { companyId, id })
    if (original?.question) return sendQuestion(reply, original, original.question)
    const upload = await requireUpload(uploads, companyId, id)
    const parts = await readParts(uploads.pool, upload)
    const shown = await showPart(services, request, upload, parts)
    const corrected = await readCorrectedEntries(uploads, companyId, upload.corrects)
    const missing = await showMissing(services, upload, parts, (request.query as { missing?: unknown }).missing)
    const isOwn = upload.userId === userId
    return sendUpload(reply, { upload, parts, shown, corrected, missing, isOwn, original })
  })

  app.post(`${UPLOAD_PATH}/:id/apply`, async (request, reply) => {
    const id = readUploadId(request)
    const fields = readFormFields(request.body)
    await applyUpload(uploads, getActing(request), id, request.id, {
      isAllOrNone: fields['all_or_none'] !== 'false',
      ...readConfirmed(fields),
    })
    return reply.redirect(`${UPLOAD_PATH}/${id}`, 303)
  })

  app.post(`${UPLOAD_PATH}/:id/cancel`, async (request, reply) => {
    const ref = { companyId: getViewer(request).companyId, id: readUploadId(request) }
    const original = await findOriginal(uploads.pool, ref)
    if (original?.question) {
      await forgetOriginal(uploads.pool, ref, 'all')
      return reply.redirect(UPLOAD_PATH, 303)
    }
    const upload = await requireUpload(uploads, ref.companyId, ref.id)
    const isDeleted = await cancelUpload(uploads.pool, upload)
    return reply.redirect(isDeleted ? UPLOAD_PATH : `${UPLOAD_PATH}/${upload.id}`, 303)
  })

  app.post(`${UPLOAD_PATH}/:id/mapping`, { bodyLimit: MAX_MAPPING_BYTES }, async (request, reply) => {
    const upload = await requireOwnUpload(uploads, getActing(request), readUploadId(request))
    const { id, mapping } = upload
    try {
      if (mapping) await mapUpload(uploads, upload, readMapping(mapping, readFormFields(request.body)))
    } catch (error) {
      if (!(error instanceof FileFaultError)) throw error
      return sendFaults(reply, error, describeUnchanged(upload))
    }
    return reply.redirect(`${UPLOAD_PATH}/${id}`, 303)
  })
}

/** Previews the part of the query, or the first one that would be refused. */
async function showPart(
  { uploads, reads }: PageServices,
  request: FastifyRequest,
  upload: StoredUpload,
  parts: readonly StoredPart[],
) {
  if (upload.state !== 'previewed') return null
  const { part: requestedPart } = request.query as { part?: unknown }
  const part =
    parts.find(({ number }) => String(number) === requestedPart) ??
    parts.find(({ counts }) => counts !== null && !isApplicable(counts)) ??
    parts[0]
  if (!part) return null
  const preview = await previewPart(uploads, upload, part)
  const db = await reads.of(upload.companyId, request.left)
  const employees = await findEmployees(db, upload.companyId, listShownEmployees(preview))
  const country = guessCountry(upload, preview.records, request.headers['accept-language'])
  return { number: part.number, preview, employees, country }
}

/** The rows among which phone numbers are looked for. */
const SEARCHED_ROWS = 100

/** Guesses where local phone numbers are, if that is asked: by others, or else by languages such as `de-DE,de;q=0.9`. */
function guessCountry(
  { header, mapping }: Pick<StoredUpload, 'header' | 'mapping'>,
  { unreadable }: Pick<PartRecords, 'unreadable'>,
  languages = '',
): string | undefined {
  if (header === null || mapping?.country !== null) return undefined
  const places = locateColumns(header, mapping.columns).filter((_, index) => isPhone(mapping.columns[index]!.to))
  const rows = unreadable.slice(0, SEARCHED_ROWS)
  const found = findCountry(rows.flatMap(({ row }) => places.map((at) => row.cells?.[at] ?? '')))
  const [language = '', region = ''] = /^[a-z]{2,3}-([A-Z]{2})(?![\w-])/.exec(languages) ?? []
  // Browsers everywhere have en-US.
  return found ?? (language !== 'en-US' && isPhoneCountry(region) ? region : undefined)
}

async function sendUpload(reply: FastifyReply, shown: ShownUpload) {
  const { upload } = shown
  const isBefore = upload.state === 'previewing' || upload.state === 'previewed'
  const isMoving = upload.state === 'previewing' || upload.state === 'applying'
  const [title, heading] = titleOf(shown)
  const content = html`<div id="upload" ${isMoving && html`data-refresh="${REFRESH_MS}"`}>
    <h1>${heading} ${isolate(upload.fileName)}</h1>
    ${isBefore ? renderPreviewed(shown) : renderProgress(shown)}
  </div>`
  return sendBelowForm(reply, title, content, isMoving ? RELOAD_SECONDS : undefined)
}

/** Asks how a file is to be read. */
async function sendQuestion(reply: FastifyReply, { fileName, id }: Original, question: StoredQuestion) {
  const content = html`<h1>How to read ${isolate(fileName)}</h1>
    ${renderQuestion(id, question)}`
  return sendBelowForm(reply, 'How to read the file', content)
}

/** Says what is wrong with a file, or with what its columns were to mean. */
async function sendFaults(
  reply: FastifyReply,
  { faults }: FileFaultError,
  { title, content }: { title: string; content: Html },
) {
  return sendBelowForm(reply.code(422), title, html`${content} ${renderFileFaults(faults)}`)
}

/** Sends a page that is below the one with the form. */
async function sendBelowForm(reply: FastifyReply, title: string, content: Html, reloadSeconds?: number) {
  const trail = renderBreadcrumb(NAVIGATION.bulkUserLogs, [{ label: 'Upload a file', path: UPLOAD_PATH }])
  return sendUserPage(reply, getViewer(reply.request), { title, body: html`${trail} ${content}`, reloadSeconds })
}

function describeRefused({ fileName, logId }: Pick<UploadForm, 'fileName' | 'logId'>) {
  const content = html`<h1>Errors in ${isolate(fileName)}</h1>
    <p>Nothing was applied. Correct the file and upload it again.</p>
    ${renderActions(renderButton(buildUploadUrl(logId), 'Choose another file'))}`
  return { title: 'File not applied', content }
}

function describeUnchanged({ id, fileName }: Pick<StoredUpload, 'id' | 'fileName'>) {
  const content = html`<h1>Columns of ${isolate(fileName)} not changed</h1>
    ${renderActions(renderButton(`${UPLOAD_PATH}/${id}`, 'Back to the columns'))}`
  return { title: 'Columns not changed', content }
}

async function sendForm({ uploads }: PageServices, reply: FastifyReply, logId: string, refusal: FormProblem) {
  const viewer = getViewer(reply.request)
  const { companyId, timeZone } = viewer
  const corrected = isId('log', logId) ? await readCorrectedCall(uploads, companyId, logId) : null
  if (logId !== '' && !corrected) throw new ProblemError(NO_SUCH_ENTRY)
  const title = corrected ? 'Fix and send again' : 'Upload a file'
  if (refusal) void reply.code(refusal.status)
  const limits = { maxRecords: uploads.commands.maxRecords, bodyLimit: uploads.bodyLimit }
  return sendUserPage(reply, viewer, {
    title,
    body: html`${renderBreadcrumb(NAVIGATION.bulkUserLogs)}
      <h1>${title}</h1>
      ${renderFormAlert(refusal)} ${renderUploadForm(corrected, limits)}
      ${renderUploads(await listUploads(uploads.pool, companyId), timeZone)}`,
  })
}
