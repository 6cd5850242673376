import t from 'tap'
import { toUuid } from '../../../src/domain/ids.ts'
import type { EventPlace } from '../../../src/ledger/read/browse-events.ts'
import { listStoredEvents } from '../../../src/ledger/read/browse-events.ts'
import type { EventFilter } from '../../../src/ledger/read/event-filter.ts'
import { asSuperuser } from '../../support/postgres/as-superuser.ts'
import { startService } from '../../support/service.ts'

/* Lists of events that no index finds search a limited number of events, and continue where they ended. */

const service = await startService(t)
const { id: companyId, admin, key } = service.company
const EVENTS = 60_000
const MAX_SEEN = 25_000
const company = toUuid(companyId)
const { rows } = await service.pool.query<{ position: number }>('select position from heads where company_id = $1', [
  company,
])
const before = rows[0]!.position
const head = before + EVENTS
/**
 * Every 20,000th event is one of an administrator, outside of calls, and one is of the administrator's call; the data of
 * every 2,500th are a megabyte.
 */
await asSuperuser(
  service.urls.superUrl,
  `insert into events (company_id, position, recorded_at, stream_id, call_id, stream_version, record_index,
      schema_version, type, actor, leaf_hash, salt, data)
    select '${company}', ${before} + g, now(), gen_random_uuid(), case when g % 20000 <> 0 then gen_random_uuid() end, 1, 0, 1,
      case when g % 20000 = 0 then 'ApiKeyEnabled' else 'EmployeeUpdated' end,
      case when g % 20000 = 0 or g = 30000 then '${admin.user_id}' else '${key.api_id}' end, sha256('x'), uuid_send(gen_random_uuid()),
      case when g in (100, 59900) then '{"changes":{"department":{"from":null,"to":"Needle \\"É\\""}}}'
        when g % 2500 = 0 then '{"x":"' || repeat('y', 1048576) || '"}' else '{}' end
    from generate_series(1, ${EVENTS}) g`,
  `update heads set position = ${head} where company_id = '${company}'`,
)

/** Lists page by page, in one direction, until the end. */
async function listAll(
  filter: EventFilter,
  place: EventPlace = { upTo: Number.MAX_SAFE_INTEGER },
  between?: { first: number; last: number },
) {
  const [found, seen]: [number[], number[]] = [[], []]
  for (let next: EventPlace | null = place; next;) {
    const listed = await listStoredEvents(service.db, companyId, filter, { place: next, between, limit: 50 })
    for (const { position } of listed.events) found.push(position)
    if (listed.seen) seen.push(listed.seen.last - listed.seen.first + 1)
    const { older, newer }: { older: number | null; newer: number | null } = listed
    if ('upTo' in next) next = older === null ? null : { upTo: older }
    else next = newer === null ? null : { from: newer }
  }
  return { found, seen }
}

const FROM_START: EventPlace = { from: 1 }
const needles = [before + 59_900, before + 100]

await t.test('a rare type among calls is found in lists of a limited length, in both directions', async (t) => {
  for (const place of [undefined, FROM_START]) {
    const { found, seen } = await listAll({ types: ['EmployeeDeactivated'] }, place)
    t.strictSame(found, [])
    t.equal(seen.length, 3)
    t.ok(seen.every((length) => length <= MAX_SEEN))
  }
})

await t.test('what happened outside of calls is found in one list', async (t) => {
  const wanted = [60_000, 40_000, 20_000].map((at) => before + at)
  for (const filter of [{ types: ['ApiKeyEnabled'] }, { actor: admin.user_id, types: ['ApiKeyEnabled'] }]) {
    const { found, seen } = await listAll(filter)
    t.strictSame([found, seen.length], [wanted, 1], JSON.stringify(filter))
    t.strictSame((await listAll(filter, FROM_START)).found, wanted)
  }
})

await t.test('what a user did, also in calls, is found in lists of a limited length', async (t) => {
  for (const place of [undefined, FROM_START]) {
    const { found, seen } = await listAll({ actor: admin.user_id }, place)
    t.strictSame(new Set(found), new Set([60_000, 40_000, 30_000, 20_000].map((at) => before + at)))
    t.equal(seen.length, 3)
    t.ok(seen.every((length) => length <= MAX_SEEN))
  }
})

await t.test('a text is found in any case, in lists that read a limited number of bytes', async (t) => {
  for (const [place, order] of [
    [undefined, needles],
    [FROM_START, needles.toReversed()],
  ] as const) {
    const { found, seen } = await listAll({ text: 'needle "é"' }, place)
    t.strictSame(found, order)
    t.ok(seen.length >= 3)
    t.ok(seen.every((length) => length <= MAX_SEEN))
    const { seen: all } = await listAll({ text: 'nowhere' }, place)
    t.ok(
      all.slice(0, -1).every((length) => length >= 2_500),
      'each list makes progress',
    )
  }
})

await t.test('a list stays between two positions', async (t) => {
  const between = { first: before + 101, last: before + 30_000 }
  t.strictSame((await listAll({ text: 'needle' }, undefined, between)).found, [])
  t.strictSame((await listAll({ actor: admin.user_id }, undefined, between)).found, [before + 30_000, before + 20_000])
  t.equal(
    (await listAll({ types: ['EmployeeUpdated'] }, undefined, { first: 1, last: before + 120 })).found.length,
    120,
  )
})
