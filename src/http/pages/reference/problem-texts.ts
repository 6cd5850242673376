import type { ProblemCode } from '../../../domain/errors.ts'

/** What the page of a problem's code says. */
export interface ProblemText {
  /** When a call is refused with it. */
  when: string
  /** What the client can do. */
  remedy: string
  /** Whether the refused call has an entry in Bulk User Logs: only writing calls have entries at all. */
  entry: 'yes' | 'no' | 'of the first call'
}

const FIX_THE_REQUEST = 'Correct the request and send it again; the same request will be refused again.'

export const PROBLEM_TEXTS: Record<ProblemCode, ProblemText> = {
  malformed_request: {
    when: 'What was sent is not a request of HTTP/1.1: nothing of it was read, and the connection is closed.',
    remedy: 'Use an HTTP library; look for what changes requests on their way.',
    entry: 'no',
  },
  request_timeout: {
    when: 'The request did not arrive as a whole within the time that it may take.',
    remedy: 'Send the request again, with fewer records where the connection is slow.',
    entry: 'no',
  },
  headers_too_large: {
    when: 'The address and the headers together have more bytes than the server reads: 16 KiB.',
    remedy: 'Send shorter headers; look for cookies that have piled up.',
    entry: 'no',
  },
  malformed_json: {
    when: 'The body is empty, is not JSON, is not valid UTF-8, is nested too deep, or has a member called __proto__.',
    remedy: FIX_THE_REQUEST,
    entry: 'yes',
  },
  invalid_body: {
    when:
      'The body is JSON, but not of the form that the call takes; or it holds a text or a number that could not ' +
      'be kept as it was sent.',
    remedy: FIX_THE_REQUEST,
    entry: 'yes',
  },
  invalid_query: {
    when:
      'A query parameter is unknown, or its value is not one that it may have; a cursor that no list gave is ' +
      'one such.',
    remedy: 'Correct the query. `detail` names the parameter.',
    entry: 'yes',
  },
  idempotency_key_invalid: {
    when:
      'Idempotency-Key stands more than once, is empty, is longer than 255 characters, or holds what is not ' +
      'visible ASCII.',
    remedy: 'Send a key of 1 to 255 visible ASCII characters, such as a UUID.',
    entry: 'yes',
  },
  invalid_credentials: {
    when:
      'The credentials are missing, stand more than once, are unknown, or are no longer good. The answer is the ' +
      'same for all of these.',
    remedy:
      'Send x-api-id and x-api-key to the public API, a bearer token to the admin and audit endpoints. Ask an ' +
      'administrator for new ones when they no longer work.',
    entry: 'no',
  },
  key_disabled: {
    when: 'The secret is right, but an administrator has disabled the API key.',
    remedy: 'Ask an administrator to enable the key. Nothing was applied.',
    entry: 'yes',
  },
  admin_only: {
    when: 'The user is no administrator of the company.',
    remedy: 'Ask an administrator.',
    entry: 'no',
  },
  role_required: {
    when: "The user's role does not allow this, or the token is narrowed to another part of the API.",
    remedy: 'Ask an administrator for another role, or use a token without a scope.',
    entry: 'no',
  },
  cross_site_request: {
    when: 'A browser sent the cookie of a session with a request that a page of another site had made.',
    remedy: 'Open the page here and try again. Programs send a bearer token instead of a cookie.',
    entry: 'no',
  },
  employee_not_found: {
    when: 'The company has no employee with the id in the path.',
    remedy: 'Look the employee up in the list by e-mail or external id.',
    entry: 'yes',
  },
  log_not_found: {
    when: 'The company has no log entry with the id in the path. A new entry appears a moment after its call.',
    remedy: 'Check the id; try again when the call was made just now.',
    entry: 'no',
  },
  key_not_found: {
    when: 'The company has no API key with the id in the path.',
    remedy: 'Check the id in the list of keys.',
    entry: 'no',
  },
  user_not_found: {
    when: 'The company has no user with the id in the path.',
    remedy: 'Check the id in the list of users.',
    entry: 'no',
  },
  token_not_found: {
    when: 'There is no such token, or it belongs to somebody else.',
    remedy: 'Check the id in the list of tokens.',
    entry: 'no',
  },
  route_not_found: {
    when: 'The API has no such path.',
    remedy: 'Compare the path with the reference at /docs.',
    entry: 'no',
  },
  method_not_allowed: {
    when: 'The path exists, but not with this method. The Allow header names those it has.',
    remedy: 'Use one of the methods that Allow names.',
    entry: 'no',
  },
  already_exists: {
    when:
      'Another employee of the company holds an e-mail or external id of the call. All errors of the call are ' +
      'such conflicts.',
    remedy: 'Update the employee whose id the error gives, or send other values.',
    entry: 'yes',
  },
  inactive_employee_exists: {
    when:
      'An inactive employee of the company holds an e-mail or external id of the call; `id` in the error is ' +
      'theirs.',
    remedy: 'Reactivate that employee: PATCH with "status": "active".',
    entry: 'yes',
  },
  former_name: {
    when:
      'A person is to be erased by an e-mail address or external id that no employee has any more, but that some had ' +
      'before. Who is meant is for you to say.',
    remedy: 'Name the person by id; the ids are in `detail`.',
    entry: 'no',
  },
  user_exists: {
    when: 'The company has a user with this e-mail address already.',
    remedy: 'Change that user, or invite another address.',
    entry: 'no',
  },
  user_removed: {
    when: 'The user has been removed from the company.',
    remedy: 'Invite the person anew.',
    entry: 'no',
  },
  user_not_removed: {
    when: 'Only a user who has been removed can be erased.',
    remedy: 'Remove the user first, then erase.',
    entry: 'no',
  },
  last_admin: {
    when: 'The change would leave the company without an administrator.',
    remedy: 'Make somebody else an administrator first.',
    entry: 'no',
  },
  key_revoked: {
    when: 'The API key has been revoked, which cannot be undone.',
    remedy: 'Issue a new key.',
    entry: 'no',
  },
  idempotency_in_progress: {
    when: 'The first call with this Idempotency-Key was still running after a wait of 10 seconds.',
    remedy: 'Send the same request with the same key again, a little later.',
    entry: 'of the first call',
  },
  idempotency_response_expired: {
    when:
      'The call with this Idempotency-Key was carried out long ago, and its answer is no longer kept. It is not ' +
      'carried out again.',
    remedy: 'Look at the log entry that `log_id` names.',
    entry: 'of the first call',
  },
  precondition_failed: {
    when: 'The employee has changed since the version that If-Match names.',
    remedy: 'Read the employee again, decide anew, and send the new ETag.',
    entry: 'yes',
  },
  payload_too_large: {
    when: 'The body has more bytes than a body may have. `detail` names the limit.',
    remedy: 'Send fewer records in a call.',
    entry: 'yes',
  },
  batch_too_large: {
    when: 'The call has more records than a call may have. `detail` names the limit.',
    remedy: 'Send the records in several calls.',
    entry: 'yes',
  },
  unsupported_media_type: {
    when: 'The Content-Type is not one that the call takes.',
    remedy: 'Send application/json; to update, application/merge-patch+json is good as well.',
    entry: 'yes',
  },
  validation_failed: {
    when:
      'At least one record is not valid; nothing was applied. `errors` names the first 16 errors of each record, and at ' +
      'most 1,000 of a call. `errors_omitted` counts the rest; it is absent when there are none. A record with more than ' +
      '128 members, or with more than 256 in `custom_attributes`, gets one `too_long` error for all of them.',
    remedy:
      'Correct the records that `errors` points to, and send the call again. The log entry shows up to 16 errors of every ' +
      'refused record, also those that the answer had no room for.',
    entry: 'yes',
  },
  empty_batch: {
    when: 'The call has no records.',
    remedy: 'Send at least one record, or do not call.',
    entry: 'yes',
  },
  idempotency_key_reused: {
    when: 'The Idempotency-Key was sent before with another method, path or body.',
    remedy: 'Use a new key for each new request; a retry must send the very same body.',
    entry: 'yes',
  },
  quota_exceeded: {
    when: 'The API key has made all the requests that its quota allows in this window.',
    remedy: 'Wait as long as Retry-After says, or ask an administrator for a larger quota.',
    entry: 'yes',
  },
  rate_limited: {
    when:
      'Too many calls at once: of one API key in a second, or from one address without good credentials in a ' +
      'minute.',
    remedy: 'Wait as long as Retry-After says.',
    entry: 'no',
  },
  internal_error: {
    when: 'Something went wrong on our side. A writing call was not applied.',
    remedy: 'Try again with the same Idempotency-Key; when it goes on, report the request_id.',
    entry: 'yes',
  },
  unavailable: {
    when: 'The service cannot answer for the moment: it is starting, stopping, overloaded, or without its database.',
    remedy:
      'Try again after Retry-After with the same Idempotency-Key: what has been carried out is not carried out ' +
      'twice.',
    entry: 'no',
  },
}

export const PROBLEM_CODES = Object.keys(PROBLEM_TEXTS) as ProblemCode[]
