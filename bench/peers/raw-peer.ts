import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { sealEvent } from '../../src/ledger/integrity/codec.ts'
import { makeEmployee } from '../load/employee-bodies.ts'
import type { Peer } from '../load/peer.ts'
import type { ServerUrls } from '../processes/postgres.ts'

/** The events table of the ledger without triggers. */
const TABLE = `create table events (
    company_id uuid not null,
    position bigint not null,
    recorded_at timestamptz(3) not null,
    stream_id uuid not null,
    call_id uuid,
    stream_version integer not null,
    record_index integer,
    schema_version smallint not null,
    type text not null,
    actor text not null,
    leaf_hash bytea not null,
    salt bytea,
    data_hash bytea,
    data text,
    primary key (company_id, position)
  );
  create unique index events_by_stream on events (company_id, stream_id, stream_version);`

const INSERT_ONE = {
  name: 'insert-one',
  text: `insert into events values ($1, $2, $3, $4, $5, 1, 0, 1, 'EmployeeCreated', $6, $7, $8, null, $9)`,
}
const INSERT_MANY = {
  name: 'insert-many',
  text: `insert into events
    select $1, r.position, r.at, r.stream, r.call, 1, 0, 1, 'EmployeeCreated', r.actor, r.leaf, r.salt, null, r.data
    from unnest($2::bigint[], $3::timestamptz[], $4::uuid[], $5::uuid[], $6::text[], $7::bytea[], $8::bytea[], $9::text[])
      as r(position, at, stream, call, actor, leaf, salt, data)`,
}

const EXAMPLE_ID = '01m7wqmfakeh492yt3mpqyceyp'

/**
 * The upper bound that PostgreSQL sets: prepared inserts of rows shaped like those of the ledger, built before the
 * measurement, each statement with its own commit. No HTTP, locks, state, or validation.
 */
export async function openRaw(urls: ServerUrls, options: { connections: number; records: number }): Promise<Peer> {
  const pool = new pg.Pool({ connectionString: urls.ownerUrl, max: options.connections })
  await pool.query(TABLE)
  const companyIds = new Map<number, string[]>()
  let position = 0
  return {
    name: 'raw',
    works: ['single-create', 'bulk-create'],
    prepare({ work, companies }, count) {
      const ids = companyIds.get(companies) ?? Array.from({ length: companies }, () => randomUUID())
      companyIds.set(companies, ids)
      return Array.from({ length: count }, (_, at) => {
        const companyId = ids[at % companies]!
        const rows = Array.from({ length: work === 'bulk-create' ? options.records : 1 }, () => rowAt(++position))
        const columns = rows[0]!.map((_, column) => rows.map((row) => row[column]!))
        const values = rows.length === 1 ? [companyId, ...rows[0]!] : [companyId, ...columns]
        return async () => void (await pool.query({ ...(rows.length === 1 ? INSERT_ONE : INSERT_MANY), values }))
      })
    },
    stop: () => pool.end(),
  }
}

/** Makes a row the size of a creation's: position, time, stream, call, actor, leaf hash, salt, data. */
function rowAt(position: number) {
  const stream = `emp_${EXAMPLE_ID}`
  const event = { type: 'EmployeeCreated', stream, version: 1, index: 0, data: { attributes: makeEmployee() } } as const
  const actor = `key_${EXAMPLE_ID}`
  const recordedAt = '2026-11-20T15:01:40.325Z'
  const origin = { companyId: `com_${EXAMPLE_ID}`, callId: `log_${EXAMPLE_ID}`, actor, recordedAt }
  const { data, salt, leaf } = sealEvent(event, position, origin)
  return [position, recordedAt, randomUUID(), randomUUID(), actor, leaf, salt, data] as const
}
