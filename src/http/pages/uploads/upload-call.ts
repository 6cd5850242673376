import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { findLogEntry } from '../../../../projections/bulk-user-logs/queries.ts'
import type { Command } from '../../../domain/calls/commands.ts'
import { readUpdateMany, readUpsertMany } from '../../../domain/calls/commands.ts'
import { isId } from '../../../domain/ids.ts'
import { canonicalJson } from '../../../ledger/integrity/canonical-json.ts'
import type { CommandServices } from '../../../ledger/calls/run-api-call.ts'
import { runApiCall } from '../../../ledger/calls/run-api-call.ts'
import type { LedgerDb } from '../../../ledger/tables.ts'
import { getActing, getViewer } from '../parts/viewer.ts'
import type { UploadedFile } from './read-file.ts'
import type { UploadForm } from './read-upload.ts'

/** The failed entries that a file can correct. */
const MAX_CORRECTED = 50

/** Finds the failed entries of the company whose records a file corrects, as it says itself or, if not, as the form. */
export async function findCorrected(
  db: LedgerDb,
  companyId: string,
  file: UploadedFile,
  form: UploadForm,
): Promise<string[]> {
  const ids = file.logIds.filter((id) => isId('log', id))
  const named = ids.length > 0 ? ids : [form.logId].filter((id) => isId('log', id))
  const corrected: string[] = []
  for (const id of named.slice(0, MAX_CORRECTED)) {
    const found = await findLogEntry(db, companyId, id)
    if (found?.entry.status === 'Failed') corrected.push(id)
  }
  return corrected
}

/** Runs the call of an uploaded file; with `validateOnly`, only says what it would do. Throws as `runApiCall` does. */
export function runUpload(
  services: CommandServices,
  request: FastifyRequest,
  form: UploadForm,
  file: UploadedFile,
  { corrects, validateOnly }: { corrects: string[]; validateOnly: boolean },
) {
  const { companyId, userId } = getViewer(request)
  const { client, traceparent = null } = getActing(request)
  const command = readCommand(services, form, file)
  return runApiCall(services, {
    callId: services.newId('log'),
    companyId,
    caller: { userId, fileName: form.fileName, corrects },
    sentFrom: client?.address ?? '',
    userAgent: client?.userAgent ?? null,
    requestId: request.id,
    arrivedAt: request.arrivedAt,
    waitsUntil: performance.now() + services.maxWaitMs,
    bodyBytes: form.content?.length ?? 0,
    // The token is random, so that its hash tells nothing.
    idempotency: validateOnly
      ? null
      : {
          keyHash: hash('sha256', `upload ${userId} ${form.token}`, 'hex'),
          requestHash: hash('sha256', canonicalJson([form.operation, form.fileName, corrects, file.body]), 'hex'),
        },
    validateOnly,
    traceparent,
    command,
  })
}

function readCommand(
  { maxRecords, newId }: CommandServices,
  { operation }: UploadForm,
  { body }: UploadedFile,
): Command {
  return operation === 'upsert' ? readUpsertMany(body, maxRecords, newId) : readUpdateMany(body, maxRecords)
}
