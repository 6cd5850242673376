import type { FileAnswers, StoredQuestion } from '../../clients/typescript/spreadsheets/file-question.ts'
import type { TableNotes } from '../../clients/typescript/spreadsheets/find-table.ts'
import type { UploadOperation } from '../domain/uploads.ts'

/** A file as it was sent, and how it was read. */
export interface OriginalRow {
  company_id: string
  upload_id: string
  user_id: string
  file_name: string
  operation: UploadOperation | null
  /** The failed call that the file is to correct; empty if none. */
  log_id: string
  answers: FileAnswers
  question: StoredQuestion | null
  notes: TableNotes | null
  bytes: number
  content: Buffer | null
  created_at: string
  expires_at: string
}
