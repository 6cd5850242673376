import { MAX_RECORD_ERRORS } from './errors.ts'
import type { Fault, FieldError } from './record-faults.ts'

// Shared by the many records without errors.
const NONE: readonly FieldError[] = []

/** The errors of a record: the first ones found, and the total number. */
export class RecordErrors {
  #kept: readonly FieldError[] = NONE
  #count = 0

  /** The total number of errors, kept or not. */
  get count(): number {
    return this.#count
  }

  /** Whether further errors are only counted. */
  get isFull(): boolean {
    return this.#kept.length === MAX_RECORD_ERRORS
  }

  /** The first errors. */
  get kept(): readonly FieldError[] {
    return this.#kept
  }

  /** Adds an error, or only counts it once the list is full. */
  add(path: FieldError['path'], fault: Fault, employeeId?: string): void {
    this.#count += 1
    if (this.isFull) return
    const error = employeeId === undefined ? { path, fault } : { path, fault, employeeId }
    this.#kept = [...this.#kept, error]
  }

  /** Adds an error before all others. */
  addFirst(error: FieldError): void {
    this.#count += 1
    this.#kept = [error, ...this.#kept].slice(0, MAX_RECORD_ERRORS)
  }

  /** Copies the list. */
  copy(): RecordErrors {
    const copy = new RecordErrors()
    copy.#kept = this.#kept
    copy.#count = this.#count
    return copy
  }
}
