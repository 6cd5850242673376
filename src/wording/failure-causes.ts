import type { ProblemCode } from '#domain/errors'

/** Why calls fail, in a few words, by their error code. */
const CAUSES: Partial<Record<ProblemCode, string>> = {
  malformed_json: 'body is not JSON',
  invalid_body: 'body has the wrong structure',
  invalid_query: 'query parameter is not valid',
  idempotency_key_invalid: 'idempotency key is not valid',
  key_disabled: 'key is disabled',
  address_not_allowed: 'address is not allowed',
  scope_missing: 'key may not do this',
  employee_not_found: 'no such employee',
  already_exists: 'employee already exists',
  inactive_employee_exists: 'inactive employee exists',
  former_name: 'former identifier',
  precondition_failed: 'condition does not hold',
  payload_too_large: 'body is too large',
  batch_too_large: 'too many records',
  unsupported_media_type: 'body is not sent as JSON',
  validation_failed: 'records are not valid',
  empty_batch: 'no records',
  idempotency_key_reused: 'idempotency key was used before',
  limit_reached: 'daily limit of the key',
  quota_exceeded: 'quota is used up',
  internal_error: 'error of this service',
}

/** Says in a few words why a call failed. A code without words stands for itself. */
export function describeCode(code: string): string {
  return CAUSES[code as ProblemCode] ?? code.replaceAll('_', ' ')
}
