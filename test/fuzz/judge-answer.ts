import type { OpenApiDocument } from '../../src/http/openapi/build-document.ts'
import { PROBLEM_CODES } from '../../src/pages/reference/problem-texts.ts'
import { answerChecker } from '../support/http/api-document.ts'
import type { FuzzedRequest } from './any-request.ts'
import { CANARY } from './hostile-text.ts'
import type { FuzzedAnswer } from './send-request.ts'

/** The longest time an answer may take; generous, for a busy machine. */
const TOO_SLOW_MS = 10_000
/** Answers that the server gives before or without knowing the route. */
const OF_NO_ROUTE: ReadonlySet<string> = new Set([
  'route_not_found',
  'method_not_allowed',
  'malformed_request',
  'headers_too_large',
])
/** Identity providers call it; its errors have the form of their standard. */
const OF_PROVIDERS = '/sign-in/:company/backchannel-logout'
const OF_SCIM = '/scim/'
/** Answers that the server gives before it looks for a route, so in no protocol's own form. */
const BEFORE_ROUTES: ReadonlySet<string> = new Set(['malformed_request', 'headers_too_large'])
const CSP = 'content-security-policy'

/** Makes a judge of single answers, which returns a line for each fault. */
export function answerJudge(document: OpenApiDocument) {
  const check = answerChecker(document)
  return (request: FuzzedRequest, answer: FuzzedAnswer): string[] => {
    const { status, headers, text, tookMs } = answer
    const type = headers['content-type'] ?? ''
    const faults: string[] = []
    if (status >= 500 && !isRightAnswer(request, answer))
      faults.push(`is answered with ${status}: ${text.slice(0, 300)}`)
    if (tookMs > TOO_SLOW_MS) faults.push(`takes ${Math.round(tookMs)} ms`)
    if (headers['x-request-id'] === undefined) faults.push('has no x-request-id')
    if (status === 405 && headers['allow'] === undefined) faults.push('is 405 without Allow')
    if (request.method === 'HEAD') return text === '' ? faults : [...faults, 'HEAD is answered with a body']
    if (type.startsWith('text/html')) return [...faults, ...pageFaults(headers, text)]
    const body = parsed(type, text)
    if (body === UNREADABLE) return [...faults, `is of the type ${type}, and is not: ${text.slice(0, 200)}`]
    const { code = '' } = Object(body) as { code?: string }
    const isScim = request.url.startsWith(OF_SCIM) && !BEFORE_ROUTES.has(code)
    if (status >= 400) {
      if (isOAuthError(request, body)) faults.push(...oauthFaults(answer, body))
      else faults.push(...(isScim ? scimFaults(answer, body) : problemFaults(answer, body)))
    }
    const path = request.url.replaceAll(/:(\w+)/g, '{$1}')
    const isElsewhere = request.isOdd || OF_NO_ROUTE.has(code)
    if (document.paths[path]?.[request.method.toLowerCase()] && !isElsewhere)
      faults.push(...check({ path, method: request.method }, { status, headers, body }))
    return faults
  }
}

/** A server says that it is busy, or has no such thing as a group (RFC 7644, section 3.12). */
function isRightAnswer({ url }: FuzzedRequest, { status, headers }: Pick<FuzzedAnswer, 'status' | 'headers'>) {
  return status === 501 ? url.startsWith(OF_SCIM) : status === 503 && headers['retry-after'] !== undefined
}

const UNREADABLE = Symbol('unreadable')

function parsed(type: string, text: string): unknown {
  try {
    if (type.startsWith('application/x-ndjson'))
      return text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as unknown)
    return type.includes('json') ? (JSON.parse(text) as unknown) : text
  } catch {
    return UNREADABLE
  }
}

/** A page has a content security policy, and shows what was sent only as text. */
function pageFaults(headers: Record<string, string>, text: string): string[] {
  const faults =
    headers[CSP]?.includes("default-src 'none'") || headers[CSP]?.includes("default-src 'self'")
      ? []
      : ['a page has no policy']
  return /<canary/i.test(text) ? [...faults, 'a page holds markup that was sent'] : faults
}

interface OAuthError {
  error: string
  error_description?: string
}

function isOAuthError({ url }: FuzzedRequest, body: unknown): body is OAuthError {
  return url === OF_PROVIDERS && Object.hasOwn(Object(body), 'error')
}

/** RFC 6749, section 5.2; the description does not repeat what was sent. */
function oauthFaults({ status, headers, text }: FuzzedAnswer, body: OAuthError): string[] {
  const isKnown = status === 503 ? body.error === 'temporarily_unavailable' : body.error === 'invalid_request'
  const faults = isKnown && headers['cache-control'] === 'no-store' ? [] : [`the error is malformed: ${text}`]
  return body.error_description?.includes(CANARY) ? [...faults, `an error repeats what was sent: ${text}`] : faults
}

/** RFC 7644, section 3.12; the detail does not repeat what was sent. */
function scimFaults({ status, headers, text }: FuzzedAnswer, body: unknown): string[] {
  const { schemas, status: told, detail } = Object(body) as Record<string, unknown>
  const isKnown =
    headers['content-type']?.startsWith('application/scim+json') === true &&
    String(schemas) === 'urn:ietf:params:scim:api:messages:2.0:Error' &&
    told === String(status) &&
    typeof detail === 'string'
  const faults = isKnown ? [] : [`the error is malformed: ${text.slice(0, 300)}`]
  return text.includes(CANARY) ? [...faults, `an error repeats what was sent: ${text.slice(0, 300)}`] : faults
}

interface PlacedError {
  index: number
  pointer: string
}

const MAX_ERRORS = 1_000
const MAX_ERRORS_OF_RECORD = 16
const MAX_POINTER = 1_000
const MAX_PROBLEM = 2_000_000

/** The number of errors in an answer is bounded. */
function errorFaults(errors: PlacedError[]): string[] {
  const faults = errors.length > MAX_ERRORS ? [`${errors.length} errors are answered`] : []
  for (const [index, own] of Map.groupBy(errors, (error) => error.index))
    if (own.length > MAX_ERRORS_OF_RECORD) faults.push(`${own.length} errors of record ${index} are answered`)
  if (errors.some(({ pointer }) => pointer.length > MAX_POINTER)) faults.push('a pointer repeats a name of any length')
  return faults
}

/** RFC 9457, as the contract has it; no message repeats what was sent. */
function problemFaults({ status, headers, text }: FuzzedAnswer, body: unknown): string[] {
  // A page's script gets a 401 without a body.
  if (status === 401 && text === '') return []
  const {
    type,
    title,
    code,
    detail,
    request_id: requestId,
    errors,
    errors_omitted: omitted,
    ...more
  } = body as Record<string, unknown>
  const faults: string[] = []
  if (!headers['content-type']?.startsWith('application/problem+json'))
    faults.push(`${status} is no problem document: ${text.slice(0, 200)}`)
  else if (
    !(PROBLEM_CODES as unknown[]).includes(code) ||
    type !== `/problems/${String(code)}` ||
    more['status'] !== status ||
    typeof title !== 'string' ||
    typeof detail !== 'string'
  )
    faults.push(`the problem document is malformed: ${text.slice(0, 300)}`)
  if (requestId !== headers['x-request-id']) faults.push('the problem names another request')
  if (text.length > MAX_PROBLEM) faults.push(`a problem document has ${text.length} characters`)
  if (omitted !== undefined && !(Number.isInteger(omitted) && Number(omitted) > 0))
    faults.push(`errors_omitted is ${JSON.stringify(omitted)}`)
  if (Array.isArray(errors)) faults.push(...errorFaults(errors as PlacedError[]))
  const messages = [title, detail, ...((errors ?? []) as { message: string }[]).map(({ message }) => message)].join(
    '\n',
  )
  if (messages.includes(CANARY)) faults.push(`a problem repeats what was sent: ${messages.slice(0, 300)}`)
  if (
    [401, 429, 503].includes(status) &&
    headers['www-authenticate'] === undefined &&
    headers['retry-after'] === undefined
  )
    faults.push(`${status} does not tell what to do`)
  return faults
}
