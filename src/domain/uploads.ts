import type { RowPlan } from '#spreadsheets/rows/plan-rows'
import type { CallCounts, NewEvent } from './events.ts'
import type { Operation } from './operations.ts'

/*
 * An uploaded file is stored for a day, in parts. Each part becomes one call, one after the other. Managers come first.
 */

export const UPLOAD_OPERATIONS = ['upsert', 'update_many', 'create'] as const satisfies Operation[]
export type UploadOperation = (typeof UPLOAD_OPERATIONS)[number]

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

/** What became of a part. A refused part applied nothing: its call has failed, or none of its rows can be read. */
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
  /** The number of its manager's row in an earlier part: a preview may not find that employee yet. */
  earlierManager?: number
  /** Of a row that is left of a part: its index in the call that refused it, or null if it cannot be read. */
  index?: number | null
}

/** The numbers of rows by what a call does to them, or would do. */
export interface PartCounts {
  created: number
  changed: number
  unchanged: number
  refused: number
  /** Rows that cannot be read. A file that has any is applied only without them. */
  unreadable: number
  /** Rows that name inactive employees and set no status. They count as changed or unchanged, too. */
  inactive: number
}

const NO_COUNTS: PartCounts = { created: 0, changed: 0, unchanged: 0, refused: 0, unreadable: 0, inactive: 0 }

/** Counts what the events of a call do to its records. One that is refused refuses all of them. */
export function countEffects(events: readonly NewEvent[], total: number, isRefused: boolean): PartCounts {
  if (isRefused) return { ...NO_COUNTS, refused: total }
  const refused = events.filter(({ type }) => type === 'EmployeeRecordRejected').length
  const created = events.filter(({ type }) => type === 'EmployeeCreated').length
  const changed = new Set(events.filter(isChange).map(({ index }) => index)).size
  return { ...NO_COUNTS, created, changed, refused, unchanged: total - created - changed - refused }
}

function isChange({ type }: NewEvent) {
  return type.startsWith('Employee') && type !== 'EmployeeCreated' && type !== 'EmployeeRecordRejected'
}

/** Adds up the counts of parts. */
export function addCounts(counts: readonly (PartCounts | null)[]): PartCounts {
  const sum = { ...NO_COUNTS }
  for (const part of counts) for (const name of Object.keys(sum) as (keyof PartCounts)[]) sum[name] += part?.[name] ?? 0
  return sum
}

/** How many rows would be applied if the others are left out. */
export function countApplicable({ created, changed, unchanged }: PartCounts): number {
  return created + changed + unchanged
}

/** Whether all rows with these counts would be applied. */
export function isApplicable({ refused, unreadable }: PartCounts): boolean {
  return refused + unreadable === 0
}

/** Whether rows that cannot be read keep a file from being applied: any, or only all of them if they are left out. */
export function isKeptBack(
  parts: readonly { rows: number; erased: number; counts: PartCounts | null }[],
  isAllOrNone: boolean,
): boolean {
  const { unreadable } = addCounts(parts.map(({ counts }) => counts))
  return isAllOrNone ? unreadable > 0 : unreadable >= sum(parts.map(({ rows, erased }) => rows - erased))
}

const NO_ROWS = {
  rows: 0,
  applied: 0,
  created: 0,
  changed: 0,
  unchanged: 0,
  refused: 0,
  canceled: 0,
  waiting: 0,
  /** Rows that were erased before they were applied. */
  erased: 0,
}

/** What became of the rows of a file. Those that were applied are created, changed, or unchanged. */
export type UploadSummary = typeof NO_ROWS

/** Adds up what became of the rows of parts. `outcome` is what the call of a part did. */
export function summarize(
  parts: readonly { rows: number; erased: number; state: PartState; outcome: CallCounts | null }[],
): UploadSummary {
  const summary = { ...NO_ROWS }
  for (const { rows, erased, state, outcome } of parts) {
    const { total, failed, updated, deactivated, no_updates: unchanged } = outcome ?? NO_OUTCOME
    const applied = total - failed
    const gone = Math.min(erased, rows - applied)
    summary.rows += rows
    summary.applied += applied
    summary.created += applied - updated - deactivated - unchanged
    summary.changed += updated + deactivated
    summary.unchanged += unchanged
    summary.erased += gone
    summary[state === 'applied' ? 'refused' : state] += rows - applied - gone
  }
  return summary
}

/** How many employees the call of a part created or changed. */
export function partChanges(outcome: CallCounts | null): number {
  const { total, failed, no_updates: unchanged } = outcome ?? NO_OUTCOME
  return total - failed - unchanged
}

const NO_OUTCOME: CallCounts = { total: 0, updated: 0, deactivated: 0, failed: 0, no_updates: 0 }
function sum(numbers: readonly number[]) {
  return numbers.reduce((total, number) => total + number, 0)
}
