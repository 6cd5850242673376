import t from 'tap'
import type { AttentionFacts, KeyFacts } from '../../src/domain/attention.ts'
import { findAttention, groupProblems, nameOfItem, startOfYesterday } from '../../src/domain/attention.ts'
import { type AttentionKind, type BackgroundWork, BACKGROUND_WORK } from '../../src/domain/attention-kinds.ts'
import { describeItem } from '../../src/wording/attention-words.ts'

const NOW = '2026-03-30T07:00:00.000Z'
const HOUR_MS = 3_600_000
const ago = (hours: number) => new Date(Date.parse(NOW) - hours * HOUR_MS).toISOString()
const KEY: KeyFacts = {
  id: 'key_1',
  name: 'Nightly sync',
  isEnabled: true,
  createdAt: ago(30 * 24 - 0.01),
  expiresAt: null,
  quotaLimit: 100,
  refreshPeriod: 'daily',
  usage: { windowStartMs: Date.parse('2026-03-30T00:00:00Z'), requestsMade: 0, lastUsedMs: null, people: null },
  expectation: null,
  lastCallAt: null,
}
const NOTHING: AttentionFacts = {
  now: NOW,
  timeZone: 'UTC',
  keys: [KEY],
  failedCalls: [],
  partialCalls: [],
  webhooks: [],
  provider: null,
  parkedProjections: [],
  turnedAway: [],
  overwritten: [],
  disputes: [],
  failingWork: [],
}
const WEBHOOK = { id: 'whk_1', name: 'CRM', disabledReason: null, disabledAt: null, failingSince: null, error: null }
const kindsOf = (facts: Partial<AttentionFacts>) => findAttention({ ...NOTHING, ...facts }).map(({ kind }) => kind)
const kindsOfKey = (key: Partial<KeyFacts>) => kindsOf({ keys: [{ ...KEY, ...key }] })
const used = (requestsMade: number, windowStart = '2026-03-30T00:00:00Z') => ({
  usage: { windowStartMs: Date.parse(windowStart), requestsMade, lastUsedMs: null, people: null },
})

await t.test('a company in which all is well has nothing that needs attention', (t) => {
  t.strictSame(kindsOf({}), [])
  t.strictSame(
    kindsOf({ webhooks: [WEBHOOK], provider: { id: 'idp_1', name: 'P', failingSince: null, fault: null } }),
    [],
  )
  t.end()
})

await t.test('a key needs attention from 80 % of its quota, until its window ends', (t) => {
  t.strictSame(kindsOfKey(used(79)), [])
  t.strictSame(kindsOfKey(used(80)), ['quota_nearly_used'])
  t.strictSame(kindsOfKey(used(99)), ['quota_nearly_used'])
  t.strictSame(kindsOfKey(used(100)), ['quota_used'])
  t.strictSame(kindsOfKey(used(100, '2026-03-29T00:00:00Z')), [])
  t.strictSame(kindsOfKey({ ...used(100), isEnabled: false }), [], 'nobody waits for a disabled key')
  t.strictSame(kindsOfKey({ quotaLimit: 0 }), [], 'a key that may make no calls is meant so')
  t.end()
})

await t.test('a key needs attention 14 days before its end, and 30 days after', (t) => {
  t.strictSame(kindsOfKey({ expiresAt: ago(-14 * 24 - 0.01) }), [])
  t.strictSame(kindsOfKey({ expiresAt: ago(-14 * 24) }), ['key_expiring'])
  t.strictSame(kindsOfKey({ expiresAt: NOW }), ['key_expired'])
  t.strictSame(kindsOfKey({ expiresAt: ago(30 * 24) }), ['key_expired'])
  t.strictSame(kindsOfKey({ expiresAt: ago(30 * 24 + 0.01) }), [])
  t.strictSame(kindsOfKey({ expiresAt: ago(1), ...used(100) }), ['key_expired'], 'its quota matters no more')
  t.end()
})

await t.test('a key that works and has made no call for 30 days needs attention', (t) => {
  const old = { createdAt: ago(30 * 24) }
  t.strictSame(kindsOfKey(old), ['key_unused'])
  t.strictSame(kindsOfKey({ ...old, usage: { ...KEY.usage, lastUsedMs: 1 } }), [], 'it made a call once')
  t.strictSame(kindsOfKey({ ...old, isEnabled: false }), [])
  t.strictSame(kindsOfKey({ ...old, expiresAt: ago(1) }), ['key_expired'])
  const expectation = { calls: { every_hours: 12 }, since: ago(30 * 24) }
  t.strictSame(kindsOfKey({ ...old, expectation }), ['call_missing'], 'which says the same')
  t.end()
})

await t.test('a webhook needs attention after ten minutes of failures, or once it is disabled', (t) => {
  t.strictSame(kindsOf({ webhooks: [{ ...WEBHOOK, failingSince: ago(0.1) }] }), [])
  t.strictSame(kindsOf({ webhooks: [{ ...WEBHOOK, failingSince: ago(14) }] }), ['webhook_failing'])
  t.strictSame(kindsOf({ webhooks: [{ ...WEBHOOK, failingSince: ago(99), disabledReason: 'failing' }] }), [
    'webhook_disabled',
  ])
  t.end()
})

await t.test('what concerns everything comes first, and then what costs the most records, calls, and time', (t) => {
  const failed = { subject: { id: 'key_1', name: 'Nightly sync' }, since: ago(5) }
  const details = { calls: 3, records: 3, is_more: false, last_log_id: 'log_1' }
  const items = findAttention({
    ...NOTHING,
    failedCalls: [
      { ...failed, details: { ...details, code: 'validation_failed' } },
      { ...failed, details: { ...details, code: 'quota_exceeded', calls: 9_720, records: 0 } },
      { ...failed, details: { ...details, code: 'already_exists', records: 5_000 } },
      { ...failed, since: ago(6), details: { ...details, code: 'malformed_json', records: 0 } },
    ],
    partialCalls: [{ ...failed, details: { ...details, records: 12, total: 5_000 } }],
    provider: { id: 'idp_1', name: 'Entra', failingSince: ago(2), fault: 'unreachable' },
    parkedProjections: [{ subject: { id: 'employees', name: 'employees' }, since: ago(1), details: { position: 41 } }],
    webhooks: [
      { ...WEBHOOK, id: 'whk_2', failingSince: ago(1) },
      { ...WEBHOOK, id: 'whk_3', failingSince: ago(2) },
    ],
    keys: [{ ...KEY, createdAt: ago(90 * 24) }],
  })
  t.strictSame(items.map(nameOfItem), [
    'projection_parked employees',
    'provider_failing idp_1',
    'calls_failed key_1 already_exists',
    'records_refused key_1',
    'calls_failed key_1 validation_failed',
    'calls_failed key_1 quota_exceeded',
    'calls_failed key_1 malformed_json',
    'webhook_failing whk_3',
    'webhook_failing whk_2',
    'key_unused key_1',
  ])
  t.end()
})

const failedCalls = (key: string, code: string, calls: number, records: number) => ({
  subject: { id: key, name: key },
  since: ago(5),
  details: { code, calls, records, is_more: false, last_log_id: 'log_1' },
})

await t.test('the causes of a key are one problem, which stands where their sum does', (t) => {
  const items = findAttention({
    ...NOTHING,
    failedCalls: [
      failedCalls('key_2', 'already_exists', 3, 250),
      failedCalls('key_1', 'malformed_json', 364, 0),
      failedCalls('key_1', 'validation_failed', 2, 200),
      failedCalls('key_1', 'already_exists', 5, 100),
    ],
    webhooks: [{ ...WEBHOOK, failingSince: ago(14) }],
  })
  t.strictSame(
    groupProblems(items).map((problem) => problem.map(nameOfItem)),
    [
      [
        'calls_failed key_1 validation_failed',
        'calls_failed key_1 already_exists',
        'calls_failed key_1 malformed_json',
      ],
      ['calls_failed key_2 already_exists'],
      ['webhook_failing whk_1'],
    ],
  )
  t.end()
})

await t.test('a used quota is one problem with the calls that it refused, until it resets', (t) => {
  const facts = { failedCalls: [failedCalls('key_1', 'quota_exceeded', 12, 600)] }
  const [item, ...others] = findAttention({ ...NOTHING, ...facts, keys: [{ ...KEY, ...used(100) }] })
  t.strictSame(others, [])
  t.match(item, { kind: 'quota_used', details: { requests_made: 100, calls: 12, records: 600 } })
  t.strictSame(kindsOf({ ...facts, keys: [{ ...KEY, ...used(100, '2026-03-29T00:00:00Z') }] }), ['calls_failed'])
  t.end()
})

await t.test("yesterday starts at midnight of the company's time zone, also across a change of its clocks", (t) => {
  const start = (now: string, timeZone: string) => new Date(startOfYesterday(Date.parse(now), timeZone)).toISOString()
  t.equal(start('2026-03-30T07:00:00Z', 'UTC'), '2026-03-29T00:00:00.000Z')
  t.equal(start('2026-03-30T07:00:00Z', 'Europe/Berlin'), '2026-03-28T23:00:00.000Z', 'a day of 23 hours')
  t.equal(start('2026-03-30T22:30:00Z', 'Europe/Berlin'), '2026-03-29T22:00:00.000Z', 'there it is the 31st')
  t.equal(start('2026-01-01T03:00:00Z', 'America/New_York'), '2025-12-30T05:00:00.000Z')
  t.end()
})

await t.test('an unsigned ledger needs attention at once, and other background work after ten minutes', async (t) => {
  const failing = (work: BackgroundWork, hours: number) => [{ work, subject: '', since: ago(hours), error: 'why' }]
  t.match(findAttention({ ...NOTHING, failingWork: failing('signing', 0) }), [
    { kind: 'ledger_unsigned', subject: { id: 'signing' }, since: ago(0), details: { error: 'why' } },
  ])
  for (const work of Object.keys(BACKGROUND_WORK).filter((work) => work !== 'signing') as BackgroundWork[]) {
    t.strictSame(kindsOf({ failingWork: failing(work, 0.16) }), [], work)
    const [item] = findAttention({ ...NOTHING, failingWork: failing(work, 0.17) })
    t.match(item, { kind: 'work_failing', details: { work } })
    t.notMatch(JSON.stringify(item), 'why', 'its error is for the operator')
  }
})

const COMMON = { subject: { id: 'key_1', name: 'Nightly sync' }, since: ago(1) }
const DONE = { calls: 1, records: 1, is_more: false, last_log_id: 'log_1' }
const REFUSED = { at: ago(1), log_id: 'log_1', wanted: 9, done: 1, limit: 5, active: 90 }
const didToPeople = (people: object) => ({
  keys: [{ ...KEY, usage: { ...KEY.usage, people } as unknown as KeyFacts['usage'] }],
})

/** Facts of which nothing but each kind follows. */
const FACTS: Record<AttentionKind, Partial<AttentionFacts>> = {
  ledger_disputed: { disputes: [{ id: 'w+1', since: ago(1), fault: 'conflict', error: 'why' }] },
  ledger_unsigned: { failingWork: [{ work: 'signing', subject: '', since: ago(1), error: 'why' }] },
  projection_parked: { parkedProjections: [{ ...COMMON, details: { position: 4 } }] },
  provider_failing: { provider: { id: 'idp_1', name: 'Entra', failingSince: ago(1), fault: 'unreachable' } },
  webhook_disabled: { webhooks: [{ ...WEBHOOK, disabledReason: 'gone', disabledAt: ago(1) }] },
  webhook_failing: { webhooks: [{ ...WEBHOOK, failingSince: ago(1) }] },
  quota_used: { keys: [{ ...KEY, ...used(100) }] },
  key_limit_reached: didToPeople({ refused: { ...REFUSED, limited: 'max_deactivations' } }),
  key_deactivated_many: didToPeople({ unusual: { at: ago(1), deactivations: 40, active: 90 } }),
  fields_overwritten: {
    overwritten: [{ ...COMMON, details: { other_key: null, fields: ['department'], people: 2, employee_id: 'emp_1' } }],
  },
  key_expired: { keys: [{ ...KEY, expiresAt: ago(1) }] },
  call_missing: { keys: [{ ...KEY, expectation: { calls: { every_hours: 1 }, since: ago(9) } }] },
  calls_turned_away: {
    turnedAway: [
      { ...COMMON, details: { reason: 'expired', calls: 1, last_at: ago(1), address: null, ended_at: ago(9) } },
    ],
  },
  calls_failed: { failedCalls: [{ ...COMMON, details: { ...DONE, code: 'validation_failed' } }] },
  records_refused: { partialCalls: [{ ...COMMON, details: { ...DONE, total: 9 } }] },
  work_failing: { failingWork: [{ work: 'emails', subject: '', since: ago(1), error: 'why' }] },
  quota_nearly_used: { keys: [{ ...KEY, ...used(99) }] },
  key_expiring: { keys: [{ ...KEY, expiresAt: ago(-1) }] },
  key_unused: { keys: [{ ...KEY, createdAt: ago(31 * 24) }] },
}

await t.test('each kind is found, alone, and told in words', (t) => {
  for (const [kind, facts] of Object.entries(FACTS)) {
    const [item, ...others] = findAttention({ ...NOTHING, ...facts })
    t.equal(item?.kind, kind)
    t.strictSame(others, [], kind)
    for (const words of Object.values(describeItem(item!, 'UTC', Date.parse(NOW))))
      t.notMatch(words, /^$|undefined|null|NaN|Invalid/, kind)
  }
  t.end()
})
