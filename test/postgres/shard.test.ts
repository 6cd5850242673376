import t from 'tap'
import { RIGHTS } from '../../src/migration/roles.ts'
import type { Shard } from '../../src/postgres/shard.ts'
import { onShard, renameTables } from '../../src/postgres/shard.ts'
import { readSources } from '../support/rules/source-files.ts'

const shard: Shard = {
  id: '102008',
  group: 1,
  tables: new Map([
    ['heads', 'heads_102008'],
    ['events', 'events_102040'],
    ['employees_v1.employees', 'employees_v1.employees_102072'],
  ]),
  serial: 7,
  renamed: new Map(),
}

await t.test('tables get the names of the shard, and columns may still be qualified with theirs', async (t) => {
  const texts: [before: string, after: string][] = [
    [
      'select position from heads where company_id = $1',
      'select position from heads_102008 as "heads" where company_id = $1',
    ],
    ['select 1 from heads h join events e on true', 'select 1 from heads_102008 h join events_102040 e on true'],
    ['select 1 from (select 1 from events) e', 'select 1 from (select 1 from events_102040 as "events") e'],
    ['insert into events (company_id) select 1', 'insert into events_102040 as "events" (company_id) select 1'],
    ['update heads set position = 1', 'update heads_102008 as "heads" set position = 1'],
    ['delete from "public"."events" as "e" where true', 'delete from events_102040 as "e" where true'],
    [
      'left join employees_v1.employees r\n on r.version = 1',
      'left join employees_v1.employees_102072 r\n on r.version = 1',
    ],
    [
      'select "heads"."position" from "heads" left join "events" on "events"."position" = 1',
      'select "heads"."position" from heads_102008 as "heads" left join events_102040 as "events" on "events"."position" = 1',
    ],
  ]
  for (const [before, after] of texts) t.equal(renameTables(shard, before), after)
})

await t.test('no statement joins tables with a comma, after which their names would stay', async (t) => {
  const isAfterComma = new RegExp(
    `\\b(?:from|using)\\s+\\w+(?:\\s+\\w+)?\\s*,\\s*(?:${Object.keys(RIGHTS).join('|')})\\b`,
  )
  const sources = readSources('src', 'projections')
  t.ok(sources.some(({ text }) => text.includes('join heads')))
  t.strictSame(
    sources.filter(({ text }) => isAfterComma.test(text)).map(({ path }) => path),
    [],
  )
})

await t.test('what is not a table of the shard stays', async (t) => {
  for (const text of [
    'select 1 from setup',
    'select extract(epoch from recorded_at)',
    'select 1 from unnest($1::uuid[]) as heads for update of u skip locked',
    "select decode(events, 'hex')",
  ])
    t.equal(renameTables(shard, text), text)
})

await t.test('a renamed statement is prepared under a name of its own', async (t) => {
  t.match(onShard(shard, { name: 'lock', text: 'select 1 from heads' }), { name: 'lock 7' })
  t.match(onShard(shard, { name: 'clock', text: 'select 1' }), { name: 'clock' })
})
