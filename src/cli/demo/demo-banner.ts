import type { Demo } from './demo.ts'

/** Prints how to make the first call. Later starts print only the file with the credentials. */
export function printDemo({ file, isNew, credentials }: Demo): void {
  const again = [`the credentials of the demo company are in ${file}`]
  const lines = isNew ? ['', ...firstSteps(credentials), `The credentials are saved in ${file}`, ''] : again
  process.stdout.write(`${lines.join('\n')}\n`)
}

function firstSteps({ base_url, api_id, api_key, admin, auditor, member }: Demo['credentials']): string[] {
  const body = '{"first_name":"Ana","last_name":"Perez","email":"ana.perez@example.com"}'
  return [
    'Demo company. Create an employee:',
    `  curl -sS ${base_url}/v1/employees -H 'x-api-id: ${api_id}' -H 'x-api-key: ${api_key}' \\`,
    `    -H 'content-type: application/json' -d '${body}'`,
    'Then see the call in Bulk User Logs:',
    `  curl -sS ${base_url}/admin/v1/bulk-user-logs -H 'authorization: Bearer ${admin.token}'`,
    'Users and passwords:',
    ...[admin, auditor, member].map(({ email, password }) => `  ${email.padEnd(20)}  ${password}`),
  ]
}
