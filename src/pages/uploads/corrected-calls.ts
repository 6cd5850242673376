import { rulesOf } from '#domain/operations'
import type { PartCounts, UploadOperation } from '#domain/uploads'
import {
  readCorrection,
  type Correction,
  findCalls,
  isCorrectable,
  listRefusedIndexes,
  type FoundCall,
  areValidKept,
} from '#ledger/corrections/corrections'
import { findUploadOfCall } from '#ledger/uploads/read-uploads'
import type { UploadRouteServices } from '#uploads/store-file'
import { formatCorrection } from '#pages/parts/call-words'
import { html, renderEntryLink, renderAlert } from '#pages/parts/elements'
import { formatCount, formatNumber, wasOrWere } from '#wording/numbers'

/** The call that a form is to correct. */
export interface CorrectedCall extends FoundCall {
  /** How many of its records have errors. Of a call that was refused as a whole, none. */
  refused: number
  /** Whether the valid ones of a failed call are kept: then the download has them. */
  areOthersKept: boolean
  /** The stored file that has all of its records; null if none has. */
  uploadId: string | null
}

/** Reads a call, from the ledger; null if the company has no such call, or if it applied all of its records. */
export async function readCorrectedCall(
  { db, pool }: Pick<UploadRouteServices, 'db' | 'pool'>,
  companyId: string,
  logId: string,
) {
  const [call] = await findCalls(db, companyId, [logId])
  if (!call || !isCorrectable(call)) return null
  const refused = (await listRefusedIndexes(db, companyId, logId)).length
  const areOthersKept = await areValidKept(db, companyId, call.position)
  const upload = await findUploadOfCall(pool, companyId, logId)
  return { ...call, refused, areOthersKept, uploadId: upload?.hasRows ? upload.id : null }
}

/** Renders which entry a form corrects, and where its records are: those with errors, and the valid ones. */
export function renderCorrectedCall(call: CorrectedCall) {
  const { id, operation, total, unapplied, refused, areOthersKept, uploadId } = call
  const valid = refused === 0 ? 0 : unapplied - refused
  return html`<p>
      This file corrects ${renderEntryLink(id)}, which tried to ${rulesOf(operation).verb}
      ${formatCount(total, 'employee')}. ${formatUnapplied(total, unapplied)}
    </p>
    ${
      uploadId === null
        ? html`<p>
            Download the failed records, correct them in a spreadsheet, and upload the file.
            <a href="/admin/v1/bulk-user-logs/${id}/failed-records.csv" download>Download failed records</a>
          </p>`
        : html`<p>
            Download the rows, correct those with errors in a spreadsheet, and upload the file.
            <a href="/admin/v1/uploads/${uploadId}/not-applied.csv" download>Download rows not applied</a>
          </p>`
    }
    ${uploadId === null && valid > 0 && !areOthersKept && renderMissing(total, refused)}`
}

function formatUnapplied(total: number, unapplied: number): string {
  if (unapplied === total) return `${total === 1 ? 'The record was not' : 'None of the records was'} applied.`
  return `${formatCount(unapplied, 'record')} ${wasOrWere(unapplied)} not applied.`
}

/** Says how to send the valid records again, if they are not kept any more. */
function renderMissing(total: number, refused: number) {
  const valid = total - refused
  const them = valid === 1 ? 'it' : 'them'
  return html`<p class="warning">
    The download has ${refused === 1 ? 'the record' : `the ${formatNumber(refused)} records`} with errors.
    The other ${valid === 1 ? 'record was' : `${formatNumber(valid)} records were`} valid, and the log does not keep
    ${them} any more. To send ${them} again, too, add
    ${them} below the others, or upload a file with all ${formatNumber(total)} records in the order
    of the call.
  </p>`
}

/** An entry that a file corrects, and how far it is corrected now. */
export interface CorrectedEntry {
  call: FoundCall
  correction: Correction | null
}

/** Reads how far the entries that a file corrects are corrected. */
export async function readCorrectedEntries(
  { db }: Pick<UploadRouteServices, 'db'>,
  companyId: string,
  logIds: readonly string[],
) {
  const entries: CorrectedEntry[] = []
  for (const call of await findCalls(db, companyId, logIds))
    entries.push({ call, correction: await readCorrection(db, companyId, call) })
  return entries.toSorted((one, other) => one.call.position - other.call.position)
}

/** Renders the entries that a file corrects, and how far they are corrected. */
export function renderCorrectedEntries(entries: readonly CorrectedEntry[]) {
  if (entries.length === 0) return html``
  return html`<h2>Corrected entries</h2>
    <ul>
      ${entries.map(
        ({ call, correction }) =>
          html`<li>
            ${renderEntryLink(call.id)}: ${correction && formatCorrection(correction)}
            ${correction === null && `None of ${formatCount(call.unapplied, 'record')} was applied yet.`}
          </li>`,
      )}
    </ul>`
}

/** Renders a warning if a file would do what none of the calls asked for that it corrects. */
export function renderUnasked(
  operation: UploadOperation,
  entries: readonly CorrectedEntry[],
  { created, changed }: PartCounts,
) {
  if (operation !== 'upsert' || entries.length === 0) return html``
  const asked = new Set(entries.map(({ call }) => rulesOf(call.operation).resentAs))
  if (asked.has('upsert')) return html``
  const warn = (did: string, would: string, way: string) =>
    renderAlert(
      `The corrected calls only ${did} employees, but the file would ${would}. Check IDs and emails, or upload it ` +
        `with “${way} only”.`,
    )
  if (created > 0 && !asked.has('create')) return warn('updated', `create ${formatNumber(created)}`, 'Update')
  if (changed > 0 && !asked.has('update_many')) return warn('created', `change ${formatNumber(changed)}`, 'Create')
  return html``
}
