import type { Envelope } from '../integrity/codec.ts'

/** An event as auditors read it: as it was written, in the schema version that it names. `data` is null once erased. */
export interface AuditedEvent extends Omit<Envelope, 'company_id' | 'data_hash'> {
  data: unknown
}

/**
 * An event with its members in the order of the contract. Its type and its data are not looked at: what this version of
 * the program does not know is shown all the same.
 */
export function auditedEvent({ envelope, data }: { envelope: string; data: string | null }): AuditedEvent {
  return { ...membersOf(envelope), data: data === null ? null : (JSON.parse(data) as unknown) }
}

/** The same as a line of NDJSON; the data stand in it as the very text that was stored. */
export function eventLine({ envelope, data }: { envelope: string; data: string | null }): string {
  return `${JSON.stringify(membersOf(envelope)).slice(0, -1)},"data":${data ?? 'null'}}\n`
}

function membersOf(envelope: string): Omit<AuditedEvent, 'data'> {
  const { position, call_id, stream, version, type, schema_version, index, recorded_at, actor } = JSON.parse(
    envelope,
  ) as Envelope
  return { position, call_id, stream, version, type, schema_version, index, recorded_at, actor }
}
