import type { Encoding } from '../encodings/encodings.ts'

/** What the owner of a file says about it; null is found out. */
export interface FileAnswers {
  encoding: Encoding | null
  /** The name of the sheet of a workbook. */
  sheet: string | null
  /** The line that names the columns, from 1; of a workbook, its row. */
  headerLine: number | null
}

/** Nothing is said about the file. */
export const UNANSWERED: FileAnswers = { encoding: null, sheet: null, headerLine: null }

/** One of the ways to read a file. */
export interface FileChoice {
  /** What the parameter is set to. */
  value: string
  /** What people call it. */
  name: string
  /** Texts of the file as they are read so. */
  samples: string[]
}

/** What a file leaves open: the parameter that answers it. */
export type FileParameter = 'encoding' | 'sheet'

/** What a file leaves open, as it is stored and shown. */
export interface StoredQuestion {
  parameter: FileParameter
  choices: readonly FileChoice[]
}

/** A file can be read in several ways, and only its owner knows in which. The likeliest way is the first choice. */
export class FileQuestion extends Error implements StoredQuestion {
  override name = 'FileQuestion'
  readonly parameter: FileParameter
  readonly choices: readonly FileChoice[]

  constructor(parameter: FileParameter, message: string, choices: readonly FileChoice[]) {
    super(message)
    this.parameter = parameter
    this.choices = choices
  }
}
