import { once } from 'node:events'
import { createEmployeeClient } from '../../../clients/typescript/employee-ledger-client.ts'
import type { ClientSettings, EmployeeClient } from '../../../clients/typescript/employee-ledger-client.ts'
import type { Service } from '../service.ts'

/** What happens to a request instead of its being sent. */
type Fault = (request: Request) => Promise<Response>

interface FaultyClient {
  client: EmployeeClient
  /** All requests of the client, in order. */
  sent: Request[]
  /** How many milliseconds it paused before each retry. */
  pauses: number[]
  /** What happens to the next requests, one after the other. Further ones are just sent. */
  fail(...faults: Fault[]): void
}

export const NOON = Date.parse('2026-11-22T12:00:00Z')

/** A client of the service whose network fails as planned, and whose clock moves only while it pauses. */
export function faultyClient(service: Service, settings: Partial<ClientSettings> = {}): FaultyClient {
  const planned: Fault[] = []
  const sent: Request[] = []
  const pauses: number[] = []
  let now = NOON
  const client = createEmployeeClient({
    baseUrl: service.address,
    apiId: service.company.key.api_id,
    apiKey: service.company.key.api_key,
    fetch: (input) => {
      const request = input as Request
      sent.push(request)
      return (planned.shift() ?? fetch)(request)
    },
    clock: {
      now: () => now,
      sleep: async (ms) => {
        pauses.push(ms)
        now += ms
      },
      random: () => 0.5,
    },
    ...settings,
  })
  return { client, sent, pauses, fail: (...faults) => planned.push(...faults) }
}

/** A proxy answers instead of the service. */
export function answers(status: number, headers: Record<string, string> = {}, body = '<h1>Sorry</h1>'): Fault {
  return async () => new Response(body, { status, headers })
}

/** The service answers with a problem. */
export function refuses(status: number, code: string, headers: Record<string, string> = {}): Fault {
  return answers(status, headers, JSON.stringify({ title: code, status, code, detail: code, errors: [] }))
}

/** The request is carried out, and its answer is lost. */
export const losesAnswer: Fault = async (request) => {
  await (await fetch(request)).arrayBuffer()
  throw new TypeError('fetch failed')
}

/** No connection is made. */
export const isUnreachable: Fault = () => Promise.reject(new TypeError('fetch failed'))

/** No answer comes until the request is aborted. */
export const staysSilent: Fault = async ({ signal }) => {
  if (!signal.aborted) await once(signal, 'abort')
  throw signal.reason
}
