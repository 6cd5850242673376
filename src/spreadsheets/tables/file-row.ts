import type { RowMark } from './row-marks.ts'

/** A row of a file, and the line on which it begins, from 1. A row without cells stands for empty lines. */
export interface FileRow {
  line: number
  cells: readonly string[]
  /** Of several empty lines, the last. */
  lastLine?: number
  /** Of a last row that no line end follows, and that may be cut off: how many cells those before it have. */
  cutFrom?: number
  /** Of a row of a workbook, how it is shown. */
  mark?: RowMark
}
