/** An event as it is stored. `data` is the exact text that was hashed. */
export interface EventRow {
  company_id: string
  position: number
  recorded_at: string
  stream_id: string
  call_id: string | null
  stream_version: number
  record_index: number | null
  schema_version: number
  type: string
  actor: string
  leaf_hash: Buffer
  salt: Buffer | null
  /** SHA-256(salt ‖ data), once both are erased. */
  data_hash: Buffer | null
  data: string | null
  /** See `actor_clients`. Not part of the envelope. */
  client_id: number | null
}
