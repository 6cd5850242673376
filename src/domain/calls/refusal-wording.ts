import type { ProblemCode } from '../errors.ts'

/** How a protocol words refusals: as they are stored, they are answered. */
export interface RefusalWording {
  /** Its names for fields. Absent ones are those of the attributes. */
  fieldNames?: Readonly<Record<string, string>>
  /** The HTTP statuses of problems that it answers with others. */
  statuses?: Partial<Readonly<Record<ProblemCode, number>>>
  /** Whether its calls have one record: then what is wrong with the record says why the call is refused. */
  hasOneRecord?: boolean
}
