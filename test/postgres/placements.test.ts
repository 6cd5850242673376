import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import t from 'tap'
import { fromUuid } from '../../src/domain/ids.ts'
import { openPool } from '../../src/postgres/pool.ts'
import type { PlacedShard } from '../../src/postgres/cluster/placements.ts'
import { readPlacements, shardOfCompany } from '../../src/postgres/cluster/placements.ts'
import { hashUuid } from '../../src/postgres/cluster/uuid-hash.ts'
import { createTestDatabase } from '../support/postgres/test-database.ts'

const { serviceUrl } = await createTestDatabase(t)
const pool = openPool({ url: serviceUrl, name: 'test', max: 1 })
t.teardown(() => pool.end())

const uuids = Array.from({ length: 500 }, () => randomUUID())
const bytesOf = (uuid: string) => Buffer.from(uuid.replaceAll('-', ''), 'hex')

await t.test('the hash is the one of PostgreSQL', async (t) => {
  const { rows } = await pool.query<{ hash: number }>(
    'select uuid_hash(uuid) as hash from unnest($1::uuid[]) as uuid',
    [uuids],
  )
  t.strictSame(
    uuids.map((uuid) => hashUuid(bytesOf(uuid))),
    rows.map(({ hash }) => hash),
  )
})

await t.test('a company is in the shard whose range has its hash', async (t) => {
  const shards = [-1_000_000_000, -1, 1_000_000_000, 2_147_483_647].map((upTo, at): PlacedShard => ({
    id: String(at),
    upTo,
    group: 1,
    tables: new Map(),
    serial: at,
    renamed: new Map(),
  }))
  const placements = { version: '', machines: new Map(), shards }
  for (const uuid of uuids) {
    const hash = hashUuid(bytesOf(uuid))
    t.equal(
      shardOfCompany(placements, fromUuid('com', uuid)),
      shards.find(({ upTo }) => hash <= upTo),
    )
  }
})

await t.test('a cluster that does not know its coordinator is refused, with the command that tells it', async (t) => {
  const worker = { group: 1, host: 'db-2', port: 5432 }
  const client = {
    query: async (text: string) => ({ rows: text.startsWith('select md5') ? [{ version: '1' }] : [worker] }),
  }
  await t.rejects(readPlacements(client as unknown as pg.ClientBase), /citus_set_coordinator_host/)
})
