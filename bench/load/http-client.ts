import { Pool } from 'undici'

/** At least the largest number of concurrent calls. */
const MAX_CONNECTIONS = 256

export interface Request {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  path: string
  headers: Record<string, string>
  body?: Buffer
}

interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
}

/** A pool of keep-alive connections with one request at a time on each. */
export interface HttpClient {
  send(request: Request): Promise<Answer>
  close(): Promise<void>
}

export function openHttpClient(address: string): HttpClient {
  const pool = new Pool(address, { connections: MAX_CONNECTIONS, pipelining: 1, keepAliveTimeout: 60_000 })
  return {
    async send({ method, path, headers, body }) {
      const answer = await pool.request({ method, path, headers, body: body ?? null })
      return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() }
    },
    close: () => pool.close(),
  }
}

/** Sends a request. Throws an error with the start of the answer when the status is another one. */
export async function expectStatus(client: HttpClient, request: Request, status: number): Promise<Answer> {
  const answer = await client.send(request)
  if (answer.status === status) return answer
  throw new Error(`${request.method} ${request.path}: ${answer.status} ${answer.text.slice(0, 300)}`)
}
