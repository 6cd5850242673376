import type { FieldError } from './errors.ts'

/** Maximum number of errors kept of a record; further ones are only counted. */
export const MAX_RECORD_ERRORS = 16

/** The errors of a record: the first ones found, and the total number. */
export class RecordFaults {
  readonly #kept: FieldError[] = []
  #count = 0

  /** The total number of errors, kept or not. */
  get count(): number {
    return this.#count
  }

  /** The first errors. */
  get kept(): readonly FieldError[] {
    return this.#kept
  }

  /** Adds an error, or only counts it once the list is full. */
  add(path: FieldError['path'], code: FieldError['code'], message: string, employeeId?: string): void {
    this.#count += 1
    if (this.#kept.length === MAX_RECORD_ERRORS) return
    this.#kept.push(employeeId === undefined ? { path, code, message } : { path, code, message, employeeId })
  }

  /** Adds an error before all others. */
  addFirst(fault: FieldError): void {
    this.#count += 1
    this.#kept.unshift(fault)
    if (this.#kept.length > MAX_RECORD_ERRORS) this.#kept.pop()
  }

  /** Copies the list. */
  copy(): RecordFaults {
    const copy = new RecordFaults()
    for (const fault of this.#kept) copy.#kept.push(fault)
    copy.#count = this.#count
    return copy
  }
}
