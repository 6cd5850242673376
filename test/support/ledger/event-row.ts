import { toUuid } from '../../../src/domain/ids.ts'
import type { Envelope, SealedEvent, StoredEvent } from '../../../src/ledger/integrity/codec.ts'

/** SQL that sets what an erasure sets; as in the migrations, with functions that Citus allows in an UPDATE. */
export const ERASE = String.raw`data = null, salt = null, data_hash = sha256(salt || decode(replace(data, '\', '\\'), 'escape'))`

/** The row of an event with this envelope, data and salt, without its leaf hash. */
export function toEventRow(envelope: Envelope, data: string | null, salt: Buffer | null): StoredEvent {
  return {
    company_id: toUuid(envelope.company_id),
    position: envelope.position,
    recorded_at: envelope.recorded_at,
    stream_id: toUuid(envelope.stream),
    call_id: envelope.call_id === null ? null : toUuid(envelope.call_id),
    stream_version: envelope.version,
    record_index: envelope.index,
    schema_version: envelope.schema_version,
    type: envelope.type,
    actor: envelope.actor,
    salt,
    data_hash: data === null ? Buffer.from(envelope.data_hash, 'hex') : null,
    data,
  }
}

/** The row of a sealed event, as the database returns it. */
export function storedRow({ companyId, event, data, salt }: SealedEvent): StoredEvent {
  return toEventRow({ ...event, company_id: companyId, data_hash: '' }, data, salt)
}
