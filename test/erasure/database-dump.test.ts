import zlib from 'node:zlib'
import pg from 'pg'
import t from 'tap'
import { rowsWith } from '../support/postgres/rows-with.ts'
import { createTestDatabase } from '../support/postgres/test-database.ts'

/* The tests of erasures rely on it that a dump of the database finds a value, wherever and however it is stored. */

const VALUE = 'zq7.canary+é@zorb.example'
const UTF8 = Buffer.from(VALUE)
const json = JSON.stringify({ a: [VALUE] }).replace('@', String.raw`\u0040`)

const WRITTEN: [type: string, value: unknown][] = [
  ['text', VALUE.toUpperCase()],
  ['varchar', VALUE.normalize('NFD')],
  ['text[]', ['other', VALUE]],
  ['json', json],
  ['jsonb', JSON.stringify({ [VALUE]: 1 })],
  ['text', JSON.stringify(json)],
  ['text', `to=${encodeURIComponent(VALUE)}`],
  ['text', VALUE.replace('@', '&#64;').replace('é', '&#xe9;')],
  ...['', 'a', 'ab'].map((before): [string, unknown] => ['text', Buffer.from(before + VALUE).toString('base64url')]),
  ['text', UTF8.toString('hex')],
  ['bytea', UTF8],
  ['bytea', Buffer.from(VALUE, 'utf16le')],
  ...[zlib.gzipSync, zlib.deflateSync, zlib.deflateRawSync, zlib.brotliCompressSync, zlib.zstdCompressSync].map(
    (compress): [string, unknown] => ['bytea', compress(UTF8)],
  ),
  ['text', zlib.gzipSync(UTF8).toString('base64')],
]

await t.test('a dump finds a value in any column of any table, however it is written', async (t) => {
  const { superUrl } = await createTestDatabase(t)
  const client = new pg.Client({ connectionString: superUrl })
  await client.connect()
  t.teardown(() => client.end())
  await client.query('create schema other')
  for (const [at, [type, value]] of WRITTEN.entries()) {
    await client.query(`create table other."Held ${at}" (id integer, held ${type}) partition by list (id)`)
    await client.query(`create table other.part_${at} partition of other."Held ${at}" default`)
    await client.query(`insert into other."Held ${at}" values (1, null), (2, $1)`, [value])
  }
  const found = (await rowsWith(superUrl, [VALUE])).map((line) => /^other\."Held (\d+)": \(2,/.exec(line)?.[1])
  for (const [at, [type, value]] of WRITTEN.entries()) t.ok(found.includes(String(at)), `${type}: ${String(value)}`)
  t.equal(found.length, WRITTEN.length, 'and nothing else')
  t.strictSame(await rowsWith(superUrl, ['zq8.canary']), [])
})
