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
