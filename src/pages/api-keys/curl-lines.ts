/*
 * Shell commands that call the API. They contain only our own values: an address, ids, secrets. Placeholders are in
 * capitals.
 */

interface ShownKey {
  id: string
  secret: string
}

/** Builds a command that verifies a key. */
export function buildVerifyCommand(baseUrl: string, key: ShownKey) {
  return `curl -sS '${baseUrl}/v1/auth/verify' \\\n${buildHeaders(key)}`
}

/** A random email, so that the command works each time. `od` is in POSIX; `uuidgen` and `$RANDOM` are not. */
const RANDOM_EMAIL = `ana-'"$(od -An -N4 -tx4 /dev/urandom | tr -d ' ')"'@example.com`

/** Builds a command that creates an employee, with placeholders for an unknown id or secret. */
export function buildCreateCommand(
  baseUrl: string,
  { id = 'YOUR_API_ID', secret = 'YOUR_API_KEY' }: Partial<ShownKey>,
) {
  return `curl -sS '${baseUrl}/v1/employees' \\\n${buildHeaders({ id, secret })} \\
  -H 'content-type: application/json' \\
  -d '{"first_name":"Ana","last_name":"Perez","email":"${RANDOM_EMAIL}"}'`
}

function buildHeaders({ id, secret }: ShownKey) {
  return `  -H 'x-api-id: ${id}' \\\n  -H 'x-api-key: ${secret}'`
}
