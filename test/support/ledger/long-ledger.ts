import { fromUuid, toUuid } from '../../../src/domain/ids.ts'
import { appendLeaves, packFrontier } from '../../../src/ledger/integrity/merkle.ts'
import { readHead } from '../../../src/ledger/read/read-head.ts'
import type { Service } from '../service.ts'

/**
 * Appends many updates of one employee, a millisecond apart, with a few statements. They verify like those of calls.
 * `titleLength` is the length of each job title.
 */
export async function lengthenLedger(
  { db, pool }: Service,
  companyId: string,
  employeeId: string,
  count: number,
  { titleLength = 4 } = {},
): Promise<void> {
  const head = await readHead(db, companyId)
  const company = toUuid(companyId)
  const version = 'select max(stream_version) from events where company_id = $1 and stream_id = $2'
  await pool.query(
    `with numbered as (
      select n, $4::bigint + n as position, (${version}) + n as version, $5::timestamptz + n * interval '1 ms' as at,
        decode(lpad(to_hex(n), 32, '0'), 'hex') as salt,
        format('{"changes":{"job_title":{"from":"%s","to":"%s"}}}', lpad((n - 1)::text, $7, '0'), lpad(n::text, $7, '0')) as data
      from generate_series(1, $6::integer) as n
    ), enveloped as (
      select *, format('{"actor":"operator","call_id":null,"company_id":"%s","data_hash":"%s","index":null,"position":%s,'
          '"recorded_at":"%s","schema_version":1,"stream":"%s","type":"EmployeeUpdated","version":%s}',
        $3::text, encode(sha256(salt || convert_to(data, 'UTF8')), 'hex'), position,
        to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), $8::text, version) as envelope
      from numbered
    ) insert into events (company_id, position, recorded_at, stream_id, stream_version, schema_version, type, actor,
        data, salt, leaf_hash)
      select $1, position, at, $2, version, 1, 'EmployeeUpdated', 'operator', data, salt,
        sha256('\\x00'::bytea || convert_to(envelope, 'UTF8')) from enveloped`,
    [
      company,
      toUuid(employeeId),
      fromUuid('com', company),
      head.position,
      head.recordedAt,
      count,
      titleLength,
      employeeId,
    ],
  )
  const { rows } = await pool.query<{ leaf_hash: Buffer }>(
    'select leaf_hash from events where company_id = $1 and position > $2 order by position',
    [company, head.position],
  )
  const frontier = appendLeaves(
    head.frontier,
    rows.map((row) => row.leaf_hash),
  )
  await pool.query('update heads set position = $2, frontier = $3, recorded_at = $4 where company_id = $1', [
    company,
    frontier.size,
    packFrontier(frontier),
    new Date(Date.parse(head.recordedAt) + count),
  ])
}
