import type { RowPlan } from '../../clients/typescript/spreadsheets/plan-rows.ts'
import type { NewEvent, Operation } from './events.ts'

/*
 * An uploaded file is stored for a day, in parts. Each part becomes one call, one after the other. Managers come first.
 */

export const UPLOAD_OPERATIONS = ['upsert', 'update_many', 'create'] as const satisfies Operation[]
export type UploadOperation = (typeof UPLOAD_OPERATIONS)[number]

/** What a file does that sends the records of a call again. */
export const AGAIN: Readonly<Record<Operation, UploadOperation>> = {
  create: 'create',
  update_one: 'update_many',
  update_many: 'update_many',
  upsert: 'upsert',
}

/** The most calls that a file corrects, and corrections of a call that are listed. */
export const MAX_CORRECTIONS = 50

/**
 * How far an upload is:
 *
 *     previewing  it is being counted what each part would do
 *     previewed   nothing is applied before somebody says so
 *     applying    part after part becomes a call
 *     stopped     its user is no longer an administrator; once they are again, they can resume it
 *     ended       every part was applied, refused, or canceled
 */
export type UploadState = 'previewing' | 'previewed' | 'applying' | 'stopped' | 'ended'

/** What became of a part. The call of a refused part has failed: it applied nothing. */
export type PartState = 'waiting' | 'applied' | 'refused' | 'canceled'

/** A record of a failed call. */
export interface CorrectedRecord {
  logId: string
  index?: number
}

/** A row of a file: cells of a CSV file, or a record of a JSON file. */
export interface StoredRow {
  /** Its number in the file, from 1. The line that names the columns does not count. */
  row: number
  /** Of a CSV file, the line on which the row begins, from 1. */
  line?: number
  cells?: readonly string[]
  record?: unknown
  /** The records of failed calls that it corrects. The index of one is absent if it is not known. */
  corrects?: readonly CorrectedRecord[]
  /** What the other rows of the file say about it. */
  plan?: RowPlan
  /** Whether its manager is an employee of an earlier part, whom a preview may not find yet. */
  hasEarlierManager?: true
}

/** The numbers of rows by what a call does to them, or would do. */
export interface PartCounts {
  created: number
  changed: number
  unchanged: number
  refused: number
  /** Rows that cannot be read. A part that has any is never applied. */
  unreadable: number
  /** Rows that name inactive employees and set no status. They count as changed or unchanged, too. */
  inactive: number
}

const NO_COUNTS: PartCounts = { created: 0, changed: 0, unchanged: 0, refused: 0, unreadable: 0, inactive: 0 }

/** Counts what the events of a call do to its records. One that is refused as a whole refuses all of them. */
export function countEffects(events: readonly NewEvent[], total: number, isRefused: boolean): PartCounts {
  const refused = new Set(events.filter(({ type }) => type === 'EmployeeRecordRejected').map(({ index }) => index)).size
  if (isRefused && refused === 0) return { ...NO_COUNTS, refused: total }
  const created = events.filter(({ type }) => type === 'EmployeeCreated').length
  const changed = new Set(events.filter(isChange).map(({ index }) => index)).size
  return { ...NO_COUNTS, created, changed, refused, unchanged: total - created - changed - refused }
}

function isChange({ type }: NewEvent): boolean {
  return type === 'EmployeeUpdated' || type === 'EmployeeDeactivated' || type === 'EmployeeReactivated'
}

/** Adds up the counts of parts. */
export function addCounts(counts: readonly (PartCounts | null)[]): PartCounts {
  const sum = { ...NO_COUNTS }
  for (const part of counts) for (const name of Object.keys(sum) as (keyof PartCounts)[]) sum[name] += part?.[name] ?? 0
  return sum
}

/** Whether a call with these counts would be applied. */
export function isApplicable({ refused, unreadable }: PartCounts): boolean {
  return refused + unreadable === 0
}
