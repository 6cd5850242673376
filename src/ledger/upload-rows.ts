import type { FileAnswers, StoredQuestion } from '#spreadsheets/formats/file-question'
import type { TableNotes } from '#spreadsheets/tables/find-table'
import type { Mapping } from '#spreadsheets/mapping/mapping'
import type { CallCounts } from '#domain/events'
import type { PartCounts, PartState, UploadOperation, UploadState } from '#domain/uploads'

/** An uploaded file that was read. */
export interface UploadRow {
  upload_id: string
  user_id: string
  file_name: string
  operation: UploadOperation
  header: string[] | null
  mapping: Mapping | null
  corrects: string[]
  rows: number
  parts: number
  bytes: number
  state: UploadState
  request_id: string | null
  address: string | null
  user_agent: string | null
  all_or_none: boolean
  /** The upload that it takes back; null if it is a file. */
  undoes: string | null
  created_at: string
  expires_at: string
  lease_id: string | null
  leased_until: string | null
}

/** A part of it, which becomes a call. */
export interface PartRow {
  upload_id: string
  part: number
  user_id: string
  call_id: string
  first_row: number
  rows: number
  erased: number
  content: string | null
  counts: PartCounts | null
  left_out: number[] | null
  outcome: CallCounts | null
  state: PartState
  /** Of people who are not in the file, how many were active when they were listed; null if it has rows of the file. */
  missing_of: number | null
  /** The call that it takes back; null if it has rows. */
  undoes: string | null
}

/** The original of an uploaded file, so that it can be read in another way. */
export interface OriginalRow {
  upload_id: string
  user_id: string
  file_name: string
  operation: UploadOperation | null
  log_id: string
  answers: FileAnswers
  /** What is to be answered before there is an upload; null if nothing is. */
  question: StoredQuestion | null
  /** Null before the file was read. */
  notes: TableNotes | null
  bytes: number
  /** Of a file that the previous version stored; null if it has pieces. */
  content: Buffer | null
  /** Decrypts its pieces; null if its content is not stored. */
  key: Buffer | null
  created_at: string
  expires_at: string
}

/** An encrypted piece of an uploaded file. */
export interface PieceRow {
  upload_id: string
  piece: number
  content: Buffer
  expires_at: string
}

/** A mapping as it is remembered: with how its file was to be read, if somebody said it. */
export type RememberedMapping = Mapping & { answers?: FileAnswers }

/** What the columns of files with one header meant last. */
export interface MappingRow {
  header_hash: Buffer
  mapping: RememberedMapping
  used_at: string
}
