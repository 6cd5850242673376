import { doAtOnce } from '../../../src/domain/pieces.ts'
import t from 'tap'
import { accessRefusal, addressRefusal } from '../../../src/domain/calls/key-refusals.ts'
import { PUBLIC_API } from '../../../src/domain/calls/answer-call.ts'
import { decideCall } from '../../../src/domain/calls/decide-call.ts'
import { readUpdateOne, type WriteCall } from '../../../src/domain/calls/commands.ts'
import { NO_LIMITS } from '../../../src/domain/accounts/key-limits.ts'
import type { ApiKey } from '../../../src/domain/accounts/api-key.ts'
import { CALL_ID, emp, KEY as CALLER, NOW } from '../../support/domain/given-when-then.ts'

const SECRET = 'c'.repeat(64)
const HOME = '192.0.2.1'
const KEY: ApiKey = {
  id: CALLER.id,
  name: CALLER.name,
  secretHash: SECRET,
  previous: null,
  isEnabled: true,
  isRevoked: false,
  expiresAtMs: null,
  scopes: ['employees:read', 'employees:write'],
  allowedNetworks: ['192.0.2.0/24'],
  writableFields: null,
  quotaLimit: 10,
  refreshPeriod: 'hourly',
  limits: NO_LIMITS,
  excess: null,
}

/** Each reason for a refusal, in the order in which they count. */
const REASONS: [string, Partial<ApiKey>][] = [
  ['revoked', { isRevoked: true }],
  ['key_disabled', { isEnabled: false }],
  ['address_not_allowed', { allowedNetworks: ['10.0.0.0/8'] }],
  ['scope_missing', { scopes: ['employees:read'] }],
  ['quota_exceeded', { quotaLimit: 0 }],
]

/** The code of a writing call's refusal, and whether it is in the ledger. */
function outcomeOf(key: ApiKey, validateOnly = false) {
  const call = {
    callId: CALL_ID,
    caller: { apiId: key.id, secretHash: SECRET },
    protocol: PUBLIC_API,
    sentFrom: HOME,
    requestId: 'r',
    idempotency: null,
    validateOnly,
    command: readUpdateOne(emp(1), {}, { ifMatch: undefined, ifNoneMatch: undefined }),
  } as unknown as WriteCall
  const usage = { windowStartMs: 0, requestsMade: 0, lastUsedMs: null, people: null }
  const employees = { byId: () => undefined } as unknown as Parameters<typeof decideCall>[1]['employees']
  const state = {
    key,
    usage,
    active: null,
    role: undefined,
    employees,
    earlier: undefined,
    now: NOW,
    durationMs: 1,
    country: null,
  }
  const { answer, events, usage: after } = doAtOnce(decideCall(call, state))
  return { code: (answer?.body as { code?: string } | undefined)?.code, events, requestsMade: after?.requestsMade }
}

await t.test('of several reasons the first counts, in the documented order', async (t) => {
  t.equal(outcomeOf(KEY).code, 'employee_not_found', 'nothing speaks against the call')
  for (const [at, [code]] of REASONS.entries()) {
    const key = REASONS.slice(at).reduce((key, [, reason]) => ({ ...key, ...reason }), KEY)
    const { code: refusal, events, requestsMade } = outcomeOf(key)
    t.equal(refusal, code === 'revoked' ? undefined : code)
    t.equal(events.at(-1)?.type, code === 'revoked' ? undefined : 'ApiCallFailed', `${code} has its entry`)
    t.equal(requestsMade, code === 'revoked' ? undefined : 0, `${code} costs nothing`)
  }
  const expired = { ...KEY, isEnabled: false, expiresAtMs: Date.parse(NOW) }
  t.strictSame(outcomeOf(expired), outcomeOf({ ...KEY, isRevoked: true }), 'an expired key is like a revoked one')
})

await t.test('a call that only validates needs the scope of the call, and leaves no entry', async (t) => {
  const { code, events } = outcomeOf({ ...KEY, scopes: ['employees:read'] }, true)
  t.equal(code, 'scope_missing')
  t.strictSame(events, [])
})

await t.test('the refusal names the scope, but no address, because the ledger keeps it forever', async (t) => {
  t.match(accessRefusal({ ...KEY, scopes: ['employees:write'] }, HOME, 'employees:read')?.detail, /employees:read$/)
  for (const address of ['::ffff:198.51.100.7', '2001:DB8::1'])
    t.equal(addressRefusal(KEY, address)?.detail, "The API key may not be used from the client's address")
  t.match(addressRefusal(KEY, '<b>unknown</b>')?.detail, /could not be read/)
  t.equal(addressRefusal(KEY, '::ffff:192.0.2.7'), null)
  t.equal(addressRefusal({ ...KEY, allowedNetworks: null }, 'unknown'), null, 'a key without networks works anywhere')
})
