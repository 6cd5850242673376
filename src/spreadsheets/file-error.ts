/** Something wrong with a file. `column` is the number of the column, from 1; null if it is about the whole line. */
export interface FileFault {
  /** From 1. */
  line: number
  column: number | null
  message: string
}

/** A file that cannot be read any further. */
export class FileError extends Error {
  override name = 'FileError'
  readonly fault: FileFault

  constructor(line: number, message: string) {
    super(message)
    this.fault = { line, column: null, message }
  }
}

/** What is wrong with a workbook that no reader would read alike. */
export const DAMAGED = 'The workbook is damaged. Open it and save it again as an Excel workbook (.xlsx)'
