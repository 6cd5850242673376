import { hash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { LogEntry } from '#projections/bulk-user-logs/queries'
import { problem, type Problem } from '#domain/errors'
import { trimBlanks } from '#text/normalize-text'
import { rulesOf } from '#domain/operations'
import { ALWAYS } from '#http/access/heavy-reads'
import { ProblemError } from '#http/server/problem'
import { callByHand } from '#ledger/calls/call-by-hand'
import { correctCall, findFaultyFields, MAX_FAULTY_FIELDS, type FaultyCall } from '#log/faulty-fields'
import { buildUploadUrl, NAVIGATION } from '#wording/navigation'
import { formatCount, formatNumber, isOrAre, wasOrWere } from '#wording/numbers'
import { formatAttributeName } from '../parts/attribute-values.ts'
import { renderField, type FormFields } from '../parts/form.ts'
import { addFormPage, renderForm, type PageForms, type PageRequest } from '../parts/form-page.ts'
import { html, type Html } from '../parts/elements.ts'
import { type PageServices, getActing, getViewer } from '../parts/context.ts'
import { buildEntryUrl, formatCall } from './entry.ts'

type FixRequest = PageRequest<{ log_id: string }>

interface Fixable {
  entry: LogEntry
  /** Null if a form can't correct it. */
  call: FaultyCall | null
}

/** Builds the path of the page that corrects an entry. */
export function buildFixUrl(entry: LogEntry): string {
  return `${buildEntryUrl(entry)}/fix`
}

/** `/settings/bulk-user-logs/{log_id}/fix`: the values for which records were refused, to send the call again. */
export function addFixPage(app: FastifyInstance, services: PageServices, path: string): void {
  const config = { isHeavyRead: ALWAYS }
  const load = async (request: FixRequest): Promise<Fixable> => {
    const { companyId } = getViewer(request)
    const db = await services.reads.of(companyId, request.left)
    const entry = await services.requireLogEntry(db, companyId, request.params.log_id)
    return { entry, call: await findFaultyFields(db, companyId, entry) }
  }
  addFormPage(app, {
    path: `${path}/:log_id/fix`,
    config,
    load,
    render: ({ entry, call }, forms) =>
      call === null ? { elsewhere: buildUploadUrl(entry.entry.id) } : renderFix(entry, call, forms),
    forms: {
      send: {
        config,
        keeps: Array.from({ length: MAX_FAULTY_FIELDS }, (_, at) => nameOf(at)),
        async run(request, fields) {
          const { entry, call } = await load(request)
          if (!call) return { goTo: buildUploadUrl(entry.entry.id) }
          return { goTo: `${path}/${await sendAgain(services, request, entry, call, fields)}` }
        },
      },
    },
  })
}

function renderFix(entry: LogEntry, { fields, refused }: FaultyCall, forms: PageForms<'send'>) {
  const { status, counts } = entry.entry
  const all = status === 'Failed' ? counts.total : refused.size
  const others = all - refused.size
  return {
    title: `Fix ${formatCall(entry)}`,
    trail: [NAVIGATION.bulkUserLogs, { label: formatCall(entry), path: buildEntryUrl(entry) }],
    body: html`<p>
        ${formatCount(refused.size, 'record')} ${wasOrWere(refused.size)}
        refused.${others !== 0 && ` The other ${formatNumber(others)} ${isOrAre(others)} sent again, too, as they were.`}
        Leave a field empty to send none.
      </p>
      ${renderForm(forms, 'send', {
        fields: (values) => renderFields(fields, values),
        values: Object.fromEntries(fields.map(({ value }, at) => [nameOf(at), value])),
        buttons: html`<div class="actions">
          <button class="primary">Send ${formatCount(all, 'record')} again</button>
          <a class="button" href="${buildUploadUrl(entry.entry.id)}">Correct in a file</a>
          <a class="button" href="${buildEntryUrl(entry)}">Cancel</a>
        </div>`,
      })}`,
  }
}

function nameOf(at: number): string {
  return `value_${at}`
}

/** Renders the fields with what the API said of each, below the names of their people. */
function renderFields(fields: FaultyCall['fields'], values: FormFields): Html {
  const errors = fields.flatMap(({ messages }, at) =>
    messages.map((message) => ({
      index: 0,
      id: null,
      pointer: `/${nameOf(at)}`,
      code: 'invalid_value' as const,
      message,
    })),
  )
  const faults = problem('validation_failed', '', errors)
  return html`${[...Map.groupBy(fields.entries(), ([, { index }]) => index).values()].map(
    (ofRecord) =>
      html`<fieldset>
        <legend><bdi>${ofRecord[0]![1].person}</bdi></legend>
        ${ofRecord.map(([at, { name }]) =>
          renderField(
            { name: nameOf(at), label: formatAttributeName(name), value: values[nameOf(at)] ?? '', isRequired: false },
            faults,
          ),
        )}
      </fieldset>`,
  )}`
}

/** Sends the call again, and returns the id of the entry. */
async function sendAgain(
  { reads, uploads: { commands } }: PageServices,
  request: FixRequest,
  entry: LogEntry,
  call: FaultyCall,
  given: FormFields,
): Promise<string> {
  const { companyId } = getViewer(request)
  const values = call.fields.map((_, at) => trimBlanks(given[nameOf(at)] ?? ''))
  const corrected = await correctCall(await reads.of(companyId, request.left), companyId, entry, call, values)
  if (!corrected) throw new ProblemError(NOT_KEPT)
  const { body } = await callByHand(commands, {
    acting: getActing(request),
    requestId: request.id,
    operation: rulesOf(entry.entry.operation).resentAs,
    ...corrected,
    form: `${entry.entry.id} ${hash('sha256', JSON.stringify(values))}`,
  })
  const answer = (Buffer.isBuffer(body) ? JSON.parse(body.toString()) : body) as { log_id?: string }
  if (answer.log_id === undefined) throw new ProblemError(answer as Problem)
  return answer.log_id
}

const NOT_KEPT = problem(
  'upload_not_applicable',
  'The other records of the call are no longer kept: correct it in a file, together with them',
)
