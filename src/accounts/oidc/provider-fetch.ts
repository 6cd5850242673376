import type { CustomFetch } from 'openid-client'
import type { Budget } from '#admission/budget'
import { type Outgoing, readAnswer } from '#outgoing/connections'
import { OutgoingError } from '#outgoing/outgoing-error'

/** Bytes of an answer. Real ones have a few thousand. */
const MAX_READ = 256 * 1024
/** Statuses whose answers have no body (Fetch, "null body status"). */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205])

/** How the client speaks with the provider of a company, and with nothing else. */
export type ProviderFetch = CustomFetch

interface FetchOptions {
  outgoing: Outgoing
  /** Requests under way, by company. */
  requests: Budget
  companyId: string
}

/** Opens a `fetch` that follows no redirects, and waits for its turn among the requests of its company. */
export function openProviderFetch({ outgoing, requests, companyId }: FetchOptions): ProviderFetch {
  return (url, { method, headers, body, signal }) =>
    requests.hold(companyId, 1, undefined, () => {
      const request = {
        method: method === 'POST' ? ('POST' as const) : ('GET' as const),
        headers: { ...headers, 'user-agent': 'employee-ledger' },
        body: method === 'POST' ? String(body as URLSearchParams) : undefined,
        signal,
        // A code is redeemed once, and a provider may withdraw the tokens of one that comes twice.
        isRepeatable: method !== 'POST',
      }
      return outgoing.exchange(url, request, async (response) => {
        const status = response.statusCode ?? 0
        if (status >= 300 && status < 400)
          throw new OutgoingError('broken', `It redirects (${status}), and redirects are not followed`)
        if (status < 200 || status > 599) throw new OutgoingError('broken', 'The answer is not valid HTTP')
        const answer = await readAnswer(response, MAX_READ)
        const { 'content-type': type } = response.headers
        return new Response(WITHOUT_BODY.has(status) ? null : new Uint8Array(answer), {
          status,
          headers: type === undefined ? {} : { 'content-type': type },
        })
      })
    })
}
