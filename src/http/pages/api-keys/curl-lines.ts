/*
 * Lines for a shell that call the API. What stands in them is ours: an address, ids, secrets. Where the reader has to put
 * something in, it is in capitals.
 */

interface ShownKey {
  id: string
  secret: string
}

/** Verifies a key. */
export function buildVerifyCommand(baseUrl: string, key: ShownKey): string {
  return `curl -sS '${baseUrl}/v1/auth/verify' \\\n${buildHeaders(key)}`
}

/** Creates a first employee with a key; one whose secret is not known can only be named. */
export function buildCreateCommand(
  baseUrl: string,
  { id = 'YOUR_API_ID', secret = 'YOUR_API_KEY' }: Partial<ShownKey>,
): string {
  return `curl -sS '${baseUrl}/v1/employees' \\\n${buildHeaders({ id, secret })} \\
  -H 'content-type: application/json' \\
  -d '{"first_name":"Ana","last_name":"Perez","email":"ana.perez@example.com"}'`
}

function buildHeaders({ id, secret }: ShownKey): string {
  return `  -H 'x-api-id: ${id}' \\\n  -H 'x-api-key: ${secret}'`
}
