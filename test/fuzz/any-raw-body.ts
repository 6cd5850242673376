import fc from 'fast-check'
import { ENDINGS, FRAMINGS, type RawBody } from '../support/http/raw-body.ts'
import { isReading } from './any-address.ts'
import { usualTypeOf } from './any-content.ts'
import type { FuzzedRequest } from './any-request.ts'
import { anyRequest } from './any-request.ts'
import type { FuzzedRoute } from './fuzzed-routes.ts'

/** A request whose body is cut off, or has another length than announced. */
export interface RawRequest extends FuzzedRequest {
  raw: RawBody
  /** Whether it is sent through the proxy, if there is one. */
  isProxied: boolean
}

/** `BODY_LIMIT` of the process that gets these requests. */
export const BODY_LIMIT = 200_000
/** The limit of small bodies, that of writing calls, and that of what is discarded after an answer. */
const LIMITS_OF_CALLS = [65_536, BODY_LIMIT, 2 * BODY_LIMIT]
/** The limit of forms from identity providers, and that of all others. */
const LIMITS_OF_OTHERS = [16_384, 65_536]

/** Any request to any of these routes, with such a body. */
export function anyRawBody(routes: readonly FuzzedRoute[]): fc.Arbitrary<RawRequest> {
  const withBody = routes.filter(({ method }) => !isReading(method))
  // With another type, the body would not be read.
  return fc.record({ request: anyRequest(withBody), isProxied: fc.boolean() }).chain(({ request, isProxied }) =>
    rawBody(request.kind).map((raw) => {
      const headers: FuzzedRequest['headers'] = [['content-type', usualTypeOf(request.kind)]]
      return { ...request, headers, body: null, raw, isProxied }
    }),
  )
}

function rawBody(kind: FuzzedRoute['kind']): fc.Arbitrary<RawBody> {
  return fc.record({
    framing: fc.constantFrom(...FRAMINGS),
    bytes: sizeAround(kind === 'public' || kind === 'scim' ? LIMITS_OF_CALLS : LIMITS_OF_OTHERS),
    // Silence takes long.
    ending: fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...ENDINGS.filter((ending) => ending !== 'silence')) },
      { weight: 1, arbitrary: fc.constant('silence' as const) },
    ),
  })
}

function sizeAround(limits: number[]): fc.Arbitrary<number> {
  const near = fc.tuple(fc.constantFrom(...limits), fc.constantFrom(-1, 0, 1, 1_000, 20_000))
  return fc.oneof(
    { weight: 4, arbitrary: near.map(([limit, more]) => limit + more) },
    { weight: 1, arbitrary: fc.nat(2 * Math.max(...limits)) },
  )
}
