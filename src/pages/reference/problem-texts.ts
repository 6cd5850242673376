import type { ProblemCode } from '#domain/errors'

/** The text of a problem code's page. */
export interface ProblemText {
  /** When a call is refused with this code. */
  when: string
  /** What the client can do. */
  remedy: string
  /** Set if the refused call has an entry in Bulk User Logs, or the first one does. Only writing calls have entries. */
  entry?: 'yes' | 'of the first call'
}

const FIX_THE_REQUEST = 'Correct the request before you send it again. The same request will be refused again.'

/** The text of a path that names what a company doesn't have. */
function notInList(thing: string): ProblemText {
  return {
    when: `The company has no ${thing} with the id in the path.`,
    remedy: `Check the id in the list of ${thing.replace(/^API /, '')}s.`,
  }
}

export const PROBLEM_TEXTS: Record<ProblemCode, ProblemText> = {
  malformed_request: {
    when:
      'The server could not read the request as HTTP/1.1, ignored it, and closed the connection; or the request has ' +
      'a header that names another method, such as `X-HTTP-Method-Override`, or not exactly one Host header.',
    remedy: 'Use an HTTP library, and send the method itself. Check for proxies that change requests on the way.',
  },
  request_timeout: {
    when: 'The headers took more than 20 seconds, or the body stopped for 60 seconds or took more than 10 minutes.',
    remedy: 'Send the request again. On a slow connection, send fewer records in each call.',
  },
  headers_too_large: {
    when: 'The URL and headers together are larger than 16 KiB.',
    remedy: 'Send shorter headers. Check for cookies that have accumulated.',
  },
  malformed_json: {
    when:
      'The body is empty, is not valid JSON or UTF-8, is nested too deeply, has a member named __proto__, or has an ' +
      'object with two members of the same name.',
    remedy: FIX_THE_REQUEST,
    entry: 'yes',
  },
  invalid_body: {
    when:
      'The body is JSON, but does not have the structure that the call expects, has several times more values than ' +
      'valid records can have, or contains a string or a number that cannot be stored exactly as sent.',
    remedy: FIX_THE_REQUEST,
    entry: 'yes',
  },
  invalid_query: {
    when: 'A query parameter is unknown or has an invalid value, such as a cursor that the API did not return.',
    remedy: 'Correct the query. `detail` names the parameter.',
    entry: 'yes',
  },
  idempotency_key_invalid: {
    when:
      'The Idempotency-Key header appears more than once, is empty, is longer than 255 characters, or contains ' +
      'characters other than visible ASCII.',
    remedy: 'Send a key of 1 to 255 visible ASCII characters, such as a UUID.',
    entry: 'yes',
  },
  invalid_credentials: {
    when:
      'The credentials are missing, repeated, unknown, expired or revoked. The response is the same in each of ' +
      'these cases.',
    remedy:
      'Send x-api-id and x-api-key to the public API, or a bearer token to the admin and audit endpoints. If they ' +
      'no longer work, ask an administrator for new ones.',
  },
  key_disabled: {
    when: 'The secret is correct, but an administrator has disabled the API key.',
    remedy: 'Ask an administrator to enable the key. Nothing was applied.',
    entry: 'yes',
  },
  address_not_allowed: {
    when:
      'The secret is correct, but the API key may be used only from certain networks, and the call came from another ' +
      'address.',
    remedy: 'Call from an allowed network, or ask an administrator to allow the address. Nothing was applied.',
    entry: 'yes',
  },
  scope_missing: {
    when:
      'The secret is correct, but the API key does not have the scope that the call needs. `detail` names the scope: ' +
      'employees:read for reading calls, employees:write for writing calls.',
    remedy: 'Use another key, or ask an administrator to add the scope. Nothing was applied.',
    entry: 'yes',
  },
  admin_only: {
    when: 'The user is not an administrator of the company.',
    remedy: 'Ask an administrator.',
  },
  role_required: {
    when: "The user's role does not allow this, or the token's scope covers another part of the API.",
    remedy: 'Ask an administrator for another role, or use a token without a scope.',
  },
  cross_site_request: {
    when: 'A page of another site made a browser send this request with the session cookie.',
    remedy: 'Open the page on this site and try again. Programs should send a bearer token instead of a cookie.',
  },
  employee_not_found: {
    when: 'The company has no employee with the id in the path.',
    remedy: 'List employees by email or external ID to find the right id.',
    entry: 'yes',
  },
  log_not_found: {
    when: 'The company has no log entry with the id in the path. A new entry appears a moment after its call.',
    remedy: 'Check the id. If the call was made just now, try again.',
  },
  key_not_found: notInList('API key'),
  user_not_found: notInList('user'),
  token_not_found: {
    when: 'The token does not exist, or belongs to another user.',
    remedy: 'Check the id in the list of tokens.',
  },
  webhook_not_found: notInList('webhook'),
  delivery_not_found: {
    when: 'The webhook has no delivery with the id in the path. Deliveries are kept for 30 days.',
    remedy: 'Check the id in the list of deliveries. To send older messages again, resume from a position.',
  },
  upload_not_found: {
    when: 'The company has no upload with the id in the path. Uploads are deleted after a day.',
    remedy: 'Upload the file again. The entries in Bulk User Logs say what was applied.',
  },
  provider_not_found: {
    when: 'The company has no identity provider.',
    remedy: 'Set one up first.',
  },
  route_not_found: {
    when: 'The API has no such path.',
    remedy: 'Compare the path with the reference at /docs.',
  },
  method_not_allowed: {
    when: 'The path exists, but does not support this method.',
    remedy: 'Use one of the methods in the Allow header.',
  },
  already_exists: {
    when:
      'Another employee of the company already has an email address or external ID in the call. All errors of the ' +
      'call are such conflicts.',
    remedy: 'Update the existing employee, or send other values.',
    entry: 'yes',
  },
  inactive_employee_exists: {
    when:
      'An inactive employee of the company already has an email address or external ID in the call. `id` in the ' +
      'error is the id of that employee.',
    remedy: 'Reactivate that employee: send a PATCH with "status": "active".',
    entry: 'yes',
  },
  former_name: {
    when:
      'The request asks to erase a person by an email address or external ID that no employee has now, but that ' +
      'employees had before.',
    remedy: 'Send the id of the person to erase. `detail` lists the ids of these employees.',
  },
  user_exists: {
    when: 'The company already has a user with this email address.',
    remedy: 'Change that user, or invite another address.',
  },
  user_removed: {
    when: 'The user has been removed from the company.',
    remedy: 'Invite the person again.',
  },
  user_not_removed: {
    when: 'Only users who have been removed can be erased.',
    remedy: 'Remove the user first, then erase the user.',
  },
  last_admin: {
    when: 'The change would leave the company without an administrator.',
    remedy: 'Make another user an administrator first.',
  },
  break_glass_user: {
    when: 'The user is the administrator who may use a password although the company requires its identity provider.',
    remedy: 'Name another break-glass administrator, or stop requiring the identity provider.',
  },
  only_way_in: {
    when: 'Without this account at the identity provider, or this passkey, the user could not sign in.',
    remedy: 'Add a passkey or set a password first; an administrator can make a one-time link for a password.',
  },
  own_password: {
    when: 'Users cannot reset their own password: with the link, a stolen session or token could take over the account.',
    remedy: 'Change your password on the account page, or ask another administrator or the operator for a reset.',
  },
  session_required: {
    when: 'The call uses a token, but no token may do this, because what it creates would outlive it.',
    remedy: 'Sign in with a browser, and do it on the account page.',
  },
  reauthentication_required: {
    when:
      'The password did not come with the request, or was wrong. Or the user has no password, and signed in more ' +
      'than ten minutes ago.',
    remedy: 'Send your current password, or sign in again with your passkey or through the identity provider.',
  },
  provider_required: {
    when: 'The company has replaced passwords with its identity provider.',
    remedy: "Sign in through the identity provider, at the company's own sign-in page.",
  },
  provider_in_use: {
    when: 'Users sign in through the identity provider, so it cannot be removed or replaced by another.',
    remedy: 'Turn the provider off first.',
  },
  provider_unproven: {
    when: "No administrator is linked to an account at the provider's issuer, so the provider cannot be required yet.",
    remedy: 'Make the provider optional, and sign in through it.',
  },
  too_many_tokens: {
    when: 'The user already has 20 valid tokens.',
    remedy: 'Revoke a token that you no longer need.',
  },
  too_many_webhooks: {
    when: 'The company already has 20 webhooks.',
    remedy: 'Remove a webhook that you no longer need.',
  },
  file_ambiguous: {
    when: 'A file can be read in several ways: its encoding is not certain, or several of its sheets have a table.',
    remedy: 'Send the file again with the parameter that `question` names, set to one of its choices.',
  },
  too_many_uploads: {
    when: 'The company already has 20 unfinished uploads, or uploads of 256 MiB in total.',
    remedy: 'Apply or delete uploads. They are also deleted after a day.',
  },
  upload_not_applicable: {
    when: 'The preview is not complete, some rows of the file cannot be read, or another user uploaded it.',
    remedy: 'Wait for the preview, or correct the file and upload it again. `detail` says which.',
  },
  nothing_to_undo: {
    when: "The entry's call failed or changed nobody, so there is nothing to undo.",
    remedy: 'Choose another entry.',
  },
  key_revoked: {
    when: 'The API key has been revoked. This cannot be undone.',
    remedy: 'Issue a new key.',
  },
  idempotency_in_progress: {
    when: 'The first call with this Idempotency-Key was still running after 10 seconds, the longest that a call waits.',
    remedy: 'Send the same request with the same key again, a little later.',
    entry: 'of the first call',
  },
  idempotency_response_expired: {
    when:
      'The call with this Idempotency-Key was carried out earlier, and its response is no longer stored. The call ' +
      'is not carried out again.',
    remedy: 'Read the log entry whose id is in `log_id`.',
    entry: 'of the first call',
  },
  precondition_failed: {
    when:
      'The employee has changed since the version in the If-Match header, or the call sets a condition on something ' +
      'that has no ETag: only a single employee has one.',
    remedy: 'Read the employee again, reapply your change, and send the new ETag. Leave the header out of bulk calls.',
    entry: 'yes',
  },
  payload_too_large: {
    when: 'The body is larger than the limit. `detail` names the limit.',
    remedy: 'Send fewer records in each call.',
    entry: 'yes',
  },
  batch_too_large: {
    when: 'The call has more records than the limit. `detail` names the limit.',
    remedy: 'Send the records in several calls.',
    entry: 'yes',
  },
  unsupported_media_type: {
    when: 'The call does not accept this Content-Type, or the body has a Content-Encoding.',
    remedy: 'Send application/json, not compressed. Updates also accept application/merge-patch+json.',
    entry: 'yes',
  },
  validation_failed: {
    when:
      'At least one record is not valid. Nothing was applied. `errors` lists the first 16 errors of each record, and ' +
      'at most 1,000 in total. `errors_omitted` counts the others; it is absent when `errors` is complete. A record ' +
      'with more than 128 members, or more than 256 in `custom_attributes`, gets a single `too_long` error.',
    remedy:
      'Correct the records that `errors` points to, and send the call again. The log entry shows up to 16 errors of ' +
      'every refused record, including those left out of the response.',
    entry: 'yes',
  },
  empty_batch: {
    when: 'The call has no records.',
    remedy: 'Send at least one record.',
    entry: 'yes',
  },
  idempotency_key_reused: {
    when: 'The Idempotency-Key was used with another method, path, body, or condition (If-Match, If-None-Match).',
    remedy: 'Use a new key for each new request. A retry must be exactly the same request.',
    entry: 'yes',
  },
  limit_reached: {
    when: 'The call would deactivate or change more people than the API key may in a day. Nothing was applied.',
    remedy:
      'Check whether the data is complete. If it is right, an administrator can allow it once on the page of the ' +
      'key; then send the call again.',
    entry: 'yes',
  },
  quota_exceeded: {
    when: 'The API key has made all the requests that its quota allows in the current period.',
    remedy: 'Wait for the time in Retry-After, or ask an administrator for a larger quota.',
    entry: 'yes',
  },
  rate_limited: {
    when:
      'Too many requests: calls of one API key within a second; failed authentications or sign-ins from one address ' +
      'or with one email address; or searches, exports, live streams, or test messages at once.',
    remedy: 'Wait for the time in Retry-After.',
  },
  internal_error: {
    when: 'Something went wrong on our side. A writing call was not applied.',
    remedy: 'Try again with the same Idempotency-Key. If the error persists, report the request_id.',
    entry: 'yes',
  },
  unavailable: {
    when:
      'The service cannot answer at the moment: it is starting, stopping or overloaded, or cannot reach its ' +
      'database.',
    remedy:
      'Wait for the time in Retry-After, then try again with the same Idempotency-Key. A call that was already ' +
      'carried out is not carried out twice.',
  },
  secrets_key_missing: {
    when: 'The service has no key with which to encrypt the secret of a webhook or an identity provider.',
    remedy: 'Ask the operator to set SECRETS_KEY or SECRETS_KEY_FILE.',
  },
}

export const PROBLEM_CODES = Object.keys(PROBLEM_TEXTS) as ProblemCode[]
