import type { Server } from '../processes/cli.ts'
import { eventually } from '../eventually.ts'
import { employee, send } from '../service.ts'

/** Creates an employee with a key, and returns the call's entry. */
export async function entryOfCall(server: Server, key: { api_id: string; api_key: string }, token: string) {
  const { status, body } = await send(server.address, 'POST', '/v1/employees', { key, body: employee() })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return eventually('the call is in the log', async () => {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await send(server.address, 'GET', `/admin/v1/bulk-user-logs/${body.log_id}`, { headers })
    return answer.status === 200 && answer.body
  })
}
