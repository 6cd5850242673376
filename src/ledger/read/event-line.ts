import { parseJson } from '#domain/json'
import { readHeader, type EventHeader, type ReadableEvent } from '../integrity/codec.ts'

/** An event for auditors, in the schema version in which it was written. `data` is null once erased. */
interface AuditedEvent extends EventHeader {
  data: unknown
}

/** Decodes an event, with its members in the order of the contract. Data are not interpreted. */
export function toAuditedEvent(event: ReadableEvent): AuditedEvent {
  return { ...readHeader(event), data: event.data === null ? null : parseJson(event.data) }
}

/** The same as a line of NDJSON, with the data as the exact stored text. */
export function formatEventLine(event: ReadableEvent): string {
  return `${JSON.stringify(readHeader(event)).slice(0, -1)},"data":${event.data ?? 'null'}}\n`
}
