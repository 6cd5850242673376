import type { OpenApiDocument } from '../../../src/http/openapi/build-document.ts'
import type { Answer, Service } from '../service.ts'
import { send } from '../service.ts'
import { answerChecker } from './api-document.ts'

interface Call {
  body?: unknown
  headers?: Record<string, string>
  as?: 'key' | 'admin' | 'nobody'
  /** The query that follows the path. */
  query?: string
  /** The value of the path's first parameter. */
  id?: string
  /** The value of its second one. */
  second?: string
}

/** Sends requests to a service and checks the answers against its document. */
export function holdAnswers(service: Service, document: OpenApiDocument) {
  const check = answerChecker(document)
  const { key } = service.company
  const bearer = { authorization: `Bearer ${service.company.admin.token}` }
  /** By operation, the faults found and the statuses seen. */
  const held = new Map<string, { statuses: number[]; faults: string[] }>()

  /** Sends a request to an operation and checks the answer against the document. */
  async function hold(
    status: number,
    route: string,
    { as, query = '', id = 'x', second = 'x', headers = {}, body }: Call = {},
  ): Promise<Answer> {
    const [method, path] = route.split(' ') as [string, string]
    const who = as ?? (path.startsWith('/v1/') ? 'key' : 'admin')
    const options = { key: who === 'key' ? key : null, headers: { ...(who === 'admin' ? bearer : {}), ...headers } }
    const url = path.replace(/\{\w+\}/, id).replace(/\{\w+\}/, second) + query
    const answer = await send(service.address, method, url, body === undefined ? options : { ...options, body })
    const { statuses, faults } = held.get(route) ?? { statuses: [], faults: [] }
    const other = answer.status === status ? [] : [`${answer.status} and not ${status}: ${JSON.stringify(answer.body)}`]
    held.set(route, {
      statuses: [...statuses, status],
      faults: [...faults, ...other, ...check({ path, method }, answer)],
    })
    return answer
  }

  return { check, hold, held }
}
