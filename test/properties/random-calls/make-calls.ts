import { setTimeout as pause } from 'node:timers/promises'
import { seededRandom } from '../../../src/cli/demo/seeded-random.ts'
import { send } from '../../support/service.ts'
import { drawStep, toBody, type Learned, type Step } from './draw-call.ts'

interface AnswerBody {
  log_id?: string
  code?: string
  employees?: { id: string }[]
  results?: {
    id: string | null
    result: string
    changed: string[]
    left?: { attribute: string }[]
  }[]
}

/** A step with its last answer; null if it got none. */
export interface Asked {
  requestId: string
  step: Step
  answer: { status: number; body: AnswerBody } | null
  /** How often it was sent: a process may have ended with the answer. */
  tries: number
}

/** A company in which random calls are made. */
export interface CalledCompany {
  keys: { api_id: string; api_key: string }[]
  /** Tokens of administrators. */
  tokens: string[]
}

const TRIES = 200
const AGAIN_AFTER_MS = 50

/** Makes random calls in a company, several at once, through processes that may end at any time. */
export async function makeCalls(
  { keys, tokens }: CalledCompany,
  { addresses, count, callers, seed }: { addresses: () => string[]; count: number; callers: number; seed: number },
  onAnswer: () => void = () => undefined,
): Promise<Asked[]> {
  const learned: Learned = { people: [], entries: [] }
  const asked: Asked[] = []
  const caller = async (number: number) => {
    const random = seededRandom(seed * 100 + number)
    while (asked.length < count) {
      const requestId = `r-${seed}-${asked.length}`
      const one: Asked = { requestId, step: drawStep(random, learned), answer: null, tries: 0 }
      asked.push(one)
      const token = tokens[number % tokens.length]!
      for (; one.answer === null && one.tries < TRIES; one.tries += 1) {
        if (one.tries > 0) await pause(AGAIN_AFTER_MS)
        one.answer = await ask(random.pick(addresses()), one, { keys, token })
      }
      learn(learned, one)
      onAnswer()
    }
  }
  await Promise.all(Array.from({ length: callers }, (_, number) => caller(number)))
  return asked
}

async function ask(
  address: string,
  { step, requestId }: Asked,
  { keys, token }: { keys: CalledCompany['keys']; token: string },
): Promise<Asked['answer']> {
  const asAdmin = { key: null, headers: { authorization: `Bearer ${token}`, 'x-request-id': requestId } }
  const asKey = (key: number) => ({
    key: keys[key]!,
    headers: { 'idempotency-key': requestId, 'x-request-id': requestId },
  })
  const request = () => {
    if (step.kind === 'erase')
      return send(address, 'POST', '/admin/v1/erasures', { ...asAdmin, body: { employee_id: step.id } })
    if (step.kind === 'allow') {
      const { key, kind: _, ...numbers } = step
      return send(address, 'POST', `/admin/v1/api-keys/${keys[key]!.api_id}/allow`, { ...asAdmin, body: numbers })
    }
    const { call } = step
    const query = `all_or_none=${!call.isPartial}`
    if (call.kind === 'undo')
      return send(address, 'POST', `/admin/v1/bulk-user-logs/${call.undone}/undo?${query}`, asAdmin)
    const method = ({ create: 'POST', update: 'PATCH', upsert: 'PUT' } as const)[call.kind]
    const links = call.kind === 'upsert' ? `&link_by_email=${call.linksByEmail}` : ''
    const body = { employees: call.records.map((record) => toBody(record, call.kind)) }
    return send(address, method, `/v1/employees?${query}${links}`, { ...asKey(call.key), body })
  }
  try {
    const { status, body } = await request()
    const isUnknown = status >= 500 || status === 429 || body.code === 'idempotency_in_progress'
    return isUnknown ? null : { status, body }
  } catch {
    return null
  }
}

function learn({ people, entries }: Learned, { step, answer }: Asked): void {
  if (!answer || step.kind !== 'call') return
  const { employees, results = [], log_id: logId } = answer.body
  if (logId !== undefined) entries.push(logId)
  const created = results.flatMap(({ id, result }) => (result === 'created' && id !== null ? [id] : []))
  people.push(...(employees ?? []).map(({ id }) => id), ...(employees ? [] : created))
}
