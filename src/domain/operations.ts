/** What a writing call may do, and everything that depends on it. */
interface OperationRules {
  /** Its label on pages. */
  label: string
  /** What it asks for, of employees: `update`. */
  verb: string
  /** How a body holds its records: one, which is the body, or several, or, if the client likes, one or several. */
  body: 'one' | 'many' | 'one or many'
  /** The fields by which a record may name its employee: the first that it has counts. Empty if nothing in it does. */
  locators: readonly ('id' | 'external_id' | 'email')[]
  /** Which records create an employee: none, those that find nobody, or all. */
  creates: 'none' | 'unfound' | 'all'
  /** Which records count as failed if the call fails for some of them: all, or those that are refused. */
  failing: 'all' | 'refused'
  /** The HTTP status of a call that applied all of its records. */
  status: 200 | 201
  /** How a file sends refused records of such a call again, unchanged: each must say everything that it asks for. */
  resentAs: 'create' | 'update_many' | 'upsert'
  /**
   * The first schema versions of the closing events that may have it. An operation that a released program does not know
   * needs versions that it does not know either: then its verifiers say that they can't judge, and not that the ledger
   * is invalid.
   */
  since: Readonly<Record<'ApiCallCompleted' | 'ApiCallFailed', number>>
}

/** All operations, in the order in which pages and the API list them. */
export const OPERATIONS = {
  create: {
    label: 'Create',
    verb: 'create',
    body: 'one or many',
    locators: [],
    creates: 'all',
    // What a creation would have created otherwise has not failed; an update of so many people has.
    failing: 'refused',
    status: 201,
    resentAs: 'create',
    since: { ApiCallCompleted: 1, ApiCallFailed: 1 },
  },
  update_one: {
    label: 'Update one',
    verb: 'update',
    body: 'one',
    locators: [],
    creates: 'none',
    failing: 'all',
    status: 200,
    resentAs: 'update_many',
    since: { ApiCallCompleted: 1, ApiCallFailed: 1 },
  },
  update_many: {
    label: 'Update many',
    verb: 'update',
    body: 'many',
    locators: ['id', 'external_id', 'email'],
    creates: 'none',
    failing: 'all',
    status: 200,
    resentAs: 'update_many',
    since: { ApiCallCompleted: 1, ApiCallFailed: 1 },
  },
  upsert: {
    label: 'Create or update',
    verb: 'create or update',
    body: 'many',
    locators: ['external_id', 'email'],
    creates: 'unfound',
    failing: 'all',
    status: 200,
    resentAs: 'upsert',
    since: { ApiCallCompleted: 1, ApiCallFailed: 1 },
  },
  undo: {
    label: 'Undo',
    verb: 'restore',
    body: 'many',
    locators: ['id'],
    creates: 'none',
    failing: 'all',
    status: 200,
    resentAs: 'update_many',
    since: { ApiCallCompleted: 4, ApiCallFailed: 3 },
  },
} as const satisfies Readonly<Record<string, OperationRules>>

export type Operation = keyof typeof OPERATIONS

/** The operations whose calls have one record, about the employee whom the path names. */
export type SingleOperation = OperationWith<'one'>

/** The operations whose calls may have several records. */
export type ManyOperation = OperationWith<'many' | 'one or many'>

type OperationWith<Body extends OperationRules['body']> = {
  [Name in Operation]: (typeof OPERATIONS)[Name]['body'] extends Body ? Name : never
}[Operation]

export const OPERATION_NAMES = Object.keys(OPERATIONS) as [Operation, ...Operation[]]

/** The rules of an operation, as every operation may have them. */
export function rulesOf(operation: Operation): OperationRules {
  return OPERATIONS[operation]
}

/** Whether this version of the program knows an operation. */
export function isOperation(name: unknown): name is Operation {
  return typeof name === 'string' && Object.hasOwn(OPERATIONS, name)
}

/** Whether the calls of an operation have one record, about the employee whom the path names. */
export function isSingle(operation: Operation): operation is SingleOperation {
  return rulesOf(operation).body === 'one'
}

/** Whether all records of a call create employees. */
export function createsAll(operation: Operation): boolean {
  return rulesOf(operation).creates === 'all'
}
