import type { Envelope } from '../integrity/codec.ts'

/** An event for auditors, in the schema version in which it was written. `data` is null once erased. */
interface AuditedEvent extends Omit<Envelope, 'company_id' | 'data_hash'> {
  data: unknown
}

/**
 * Decodes an event, with its members in the order of the contract. Types and data are not interpreted, so that unknown
 * ones are shown too.
 */
export function toAuditedEvent({ envelope, data }: { envelope: string; data: string | null }): AuditedEvent {
  return { ...parseMembers(envelope), data: data === null ? null : (JSON.parse(data) as unknown) }
}

/** The same as a line of NDJSON, with the data as the exact stored text. */
export function formatEventLine({ envelope, data }: { envelope: string; data: string | null }): string {
  return `${JSON.stringify(parseMembers(envelope)).slice(0, -1)},"data":${data ?? 'null'}}\n`
}

function parseMembers(envelope: string): Omit<AuditedEvent, 'data'> {
  const { position, call_id, stream, version, type, schema_version, index, recorded_at, actor } = JSON.parse(
    envelope,
  ) as Envelope
  return { position, call_id, stream, version, type, schema_version, index, recorded_at, actor }
}
