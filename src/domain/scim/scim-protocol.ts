import type { CallProtocol } from '../calls/call-decision.ts'
import type { Problem, ProblemCode } from '../errors.ts'
import { PATHS } from './flat-user.ts'
import type { ScimProblem, ScimType } from './scim-fault.ts'

export const SCIM_TYPE = 'application/scim+json; charset=utf-8'

const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error'

/** The names of attributes in messages and notes: their paths without the schema and the type of an entry. */
export const FIELD_NAMES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(PATHS).map(([name, path]) => [name, path.replace(/^.*:/, '').replace(/\.\w+\./, '.')]),
  ),
  manager_id: 'manager',
}

/** SCIM has no 422: what is wrong with values is an `invalidValue` of 400. */
const STATUSES = { validation_failed: 400, batch_too_large: 413, empty_batch: 400 } as const

const TYPES: Partial<Readonly<Record<ProblemCode, ScimType>>> = {
  malformed_json: 'invalidSyntax',
  malformed_request: 'invalidSyntax',
  invalid_body: 'invalidSyntax',
  invalid_query: 'invalidValue',
  validation_failed: 'invalidValue',
  already_exists: 'uniqueness',
  inactive_employee_exists: 'uniqueness',
}

function isScimProblem(refusal: Problem): refusal is ScimProblem {
  return 'scimType' in refusal
}

/** The answer to a refused request (RFC 7644 section 3.12). */
function refuseScim(refusal: Problem) {
  const status = (STATUSES as Partial<Record<ProblemCode, number>>)[refusal.code] ?? refusal.status
  const scimType = isScimProblem(refusal) ? refusal.scimType : TYPES[refusal.code]
  const kind = scimType === undefined || (status !== 400 && status !== 409) ? {} : { scimType }
  return { status, headers: {}, body: { schemas: [ERROR], status: String(status), ...kind, detail: refusal.detail } }
}

/** How the calls of identity providers are worded and refused. */
export const SCIM: Omit<CallProtocol, 'answer'> = {
  source: 'SCIM',
  scope: 'scim',
  fieldNames: FIELD_NAMES,
  statuses: STATUSES,
  hasOneRecord: true,
  refuse: refuseScim,
}
