import type { FieldError } from './errors.ts'

/** How many errors of one record are kept: those beyond are counted. */
export const MAX_RECORD_ERRORS = 16

/** The faults of one record: the first ones in the order in which they were found, and how many there are in all. */
export class RecordFaults {
  readonly #kept: FieldError[] = []
  #count = 0

  /** How many were found, kept or not. */
  get count(): number {
    return this.#count
  }

  /** The first ones. */
  get kept(): readonly FieldError[] {
    return this.#kept
  }

  /** Adds a fault. What is not kept costs no more than being counted. */
  add(path: FieldError['path'], code: FieldError['code'], message: string, employeeId?: string): void {
    this.#count += 1
    if (this.#kept.length === MAX_RECORD_ERRORS) return
    this.#kept.push(employeeId === undefined ? { path, code, message } : { path, code, message, employeeId })
  }

  /** Adds a fault before all others. */
  addFirst(fault: FieldError): void {
    this.#count += 1
    this.#kept.unshift(fault)
    if (this.#kept.length > MAX_RECORD_ERRORS) this.#kept.pop()
  }

  /** A list of its own with the same faults. */
  copy(): RecordFaults {
    const copy = new RecordFaults()
    for (const fault of this.#kept) copy.#kept.push(fault)
    copy.#count = this.#count
    return copy
  }
}
