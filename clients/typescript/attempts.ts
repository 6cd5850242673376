import { setTimeout as pause } from 'node:timers/promises'
import { type EmployeeLedgerError, type ErrorCode, answerError, connectionError, isOfApi } from './errors.ts'
import type { AbortSignal, Fetch, Request, Response } from './web-types.ts'

/** Time and chance, so that tests can decide them. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Ends early, by a rejection, when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<unknown>
  /** At least 0 and less than 1. */
  random(): number
}

export const SYSTEM_CLOCK: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) => pause(ms, undefined, signal ? { signal } : {}),
  random: () => Math.random(),
}

/** The bounds of a call. */
export interface AttemptSettings {
  /** How often a call is sent at most. */
  attempts: number
  /** How long one attempt may take. */
  timeoutMs: number
  /** How long all attempts of a call and the pauses between them may take. */
  totalMs: number
  fetch: Fetch
  clock: Clock
}

/** What an attempt passes on to the transport. */
export interface AttemptInit {
  signal: AbortSignal
  fetch: (request: Request) => Promise<Response>
}

interface Sent<T> {
  data?: T
  error?: unknown
  response: Response
}

interface Call<T> {
  isWriting: boolean
  signal: AbortSignal | undefined
  send: (init: AttemptInit) => Promise<Sent<T>>
}

const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 20_000
const RETRIED = new Set([429, 502, 503, 504])

/**
 * Sends a call until it succeeds, is refused, or has used up its attempts or its time. The call must have the same
 * effect however often it arrives.
 */
export async function sendWithRetries<T>(
  call: Call<T>,
  settings: AttemptSettings,
): Promise<{ data: T; response: Response }> {
  const { clock, attempts } = settings
  const deadline = clock.now() + settings.totalMs
  let wasLost = false
  for (let attempt = 1; ; attempt += 1) {
    const timeoutMs = Math.min(settings.timeoutMs, deadline - clock.now())
    const outcome = await sendOnce(call, settings.fetch, timeoutMs)
    if ('data' in outcome) return outcome
    wasLost ||= call.isWriting && outcome.isLost
    const error = outcome.error(clock.now(), wasLost)
    const pauseMs = Math.max(backoffMs(attempt, clock), 1_000 * (error.retryAfter ?? 0))
    if (!outcome.canRetry || attempt >= attempts || clock.now() + pauseMs >= deadline) throw error
    try {
      await clock.sleep(pauseMs, call.signal)
    } finally {
      call.signal?.throwIfAborted()
    }
  }
}

interface Failure {
  canRetry: boolean
  /** Whether the call may have taken effect all the same. */
  isLost: boolean
  error: (now: number, wasLost: boolean) => EmployeeLedgerError
}

async function sendOnce<T>(
  { send, signal }: Call<T>,
  fetch: AttemptSettings['fetch'],
  timeoutMs: number,
): Promise<{ data: T; response: Response } | Failure> {
  signal?.throwIfAborted()
  const controller = new AbortController()
  let isTimeout = false
  let isSent = false
  let answer: Response | undefined
  const timer = setTimeout(() => {
    isTimeout = true
    controller.abort()
  }, timeoutMs)
  const stop = () => controller.abort()
  signal?.addEventListener('abort', stop)
  // Holds even if the transport does not notice the signal.
  const aborted = new Promise<never>((_resolve, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason as Error))
  })
  const sending = send({
    signal: controller.signal,
    fetch: async (request) => {
      isSent = true
      answer = await fetch(request)
      return answer
    },
  })
  try {
    const { data, error: body, response } = await Promise.race([sending, aborted])
    return data === undefined ? refusal(response, body) : { data, response }
  } catch (cause) {
    signal?.throwIfAborted()
    // Nothing was sent: the settings are wrong, and no retry can help.
    if (!isSent) throw cause
    // A page that a proxy sends instead, such as one to sign in.
    if (answer?.ok && !isOfApi(answer)) return { ...refusal(answer, null), canRetry: false }
    return { canRetry: true, isLost: true, error: (_now, wasLost) => connectionError(cause, isTimeout, wasLost) }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}

function refusal(response: Response, body: unknown): Failure {
  const { code } = (body ?? {}) as { code?: ErrorCode }
  const isRunning = code === 'idempotency_in_progress'
  return {
    canRetry: isRunning || RETRIED.has(response.status),
    // A success without its body is no refusal: something between the service and here has cut it off.
    isLost: isRunning || code === 'idempotency_response_expired' || response.ok || response.status >= 500,
    error: (now, wasLost) =>
      answerError(response, body, { retryAfter: retryAfterOf(response.headers.get('retry-after'), now), wasLost }),
  }
}

/** Full jitter: anything between no pause and one that doubles with each attempt. */
function backoffMs(attempt: number, { random }: Clock): number {
  return random() * Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1))
}

/** The seconds of a Retry-After header, which holds seconds or a date (RFC 9110 section 10.2.3). */
function retryAfterOf(header: string | null, now: number): number | null {
  if (header === null) return null
  if (/^\d+$/.test(header)) return Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / 1_000))
}
