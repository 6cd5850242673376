import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { openPool } from '../../src/postgres/pool.ts'
import { fromUuid, toUuid } from '../../src/domain/ids.ts'
import {
  bigintArray,
  booleanArray,
  byteaArray,
  integerArray,
  jsonArray,
  textArray,
  timestamptzArray,
  uuidArray,
} from '../../src/postgres/binary-arrays.ts'
import { anyCodePoint } from '../support/domain/arbitraries.ts'
import { createTestDatabase } from '../support/postgres/test-database.ts'

const { serviceUrl: url } = await createTestDatabase(t)
const pool = openPool({ url, name: 'test', max: 1 })
t.teardown(() => pool.end())

/** The elements that PostgreSQL reads from an array, as text; bytea in hexadecimal. */
async function readBack(type: string, array: Buffer): Promise<(string | null)[]> {
  const column = type === 'bytea' ? `encode(value, 'hex')` : 'value::text'
  const { rows } = await pool.query<{ shown: string | null }>(
    `select ${column} as shown from unnest($1::${type}[]) with ordinality as elements(value, at) order by at`,
    [array],
  )
  return rows.map((row) => row.shown)
}

const shown = (value: number | boolean | null) => (value === null ? null : String(value))
const arrayOf = <Value>(value: fc.Arbitrary<Value>) => fc.array(fc.option(value, { freq: 5 }), { maxLength: 20 })
const anyText = fc.string({ unit: anyCodePoint, maxLength: 50 }).map((text) => text.replaceAll('\0', ''))
const anyBytes = fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes))
const anyId = fc.uuid().map((uuid) => fromUuid('emp', uuid))

await t.test('PostgreSQL reads back every element as it was given', async () => {
  await fc.assert(
    fc.asyncProperty(
      ...([
        arrayOf(anyText),
        arrayOf(anyBytes),
        arrayOf(anyId),
        arrayOf(fc.integer()),
        arrayOf(fc.maxSafeInteger()),
        arrayOf(fc.boolean()),
      ] as const),
      async (texts, blobs, ids, integers, bigints, booleans) => {
        assert.deepEqual(await readBack('text', textArray(texts)), texts)
        assert.deepEqual(
          await readBack('json', jsonArray(texts.map((text) => JSON.stringify(text)))),
          texts.map((text) => JSON.stringify(text)),
        )
        assert.deepEqual(
          await readBack('bytea', byteaArray(blobs)),
          blobs.map((bytes) => bytes && bytes.toString('hex')),
        )
        assert.deepEqual(
          await readBack('uuid', uuidArray(ids)),
          ids.map((id) => id && toUuid(id)),
        )
        assert.deepEqual(await readBack('integer', integerArray(integers)), integers.map(shown))
        assert.deepEqual(await readBack('bigint', bigintArray(bigints)), bigints.map(shown))
        assert.deepEqual(await readBack('boolean', booleanArray(booleans)), booleans.map(shown))
      },
    ),
    { numRuns: 100 },
  )
})

await t.test('PostgreSQL reads back every instant to the millisecond', async () => {
  const anyInstant = fc.date({
    min: new Date('1900-01-01T00:00:00Z'),
    max: new Date('2999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  })
  await fc.assert(
    fc.asyncProperty(arrayOf(anyInstant.map((date) => date.toISOString())), async (instants) => {
      const { rows } = await pool.query<{ at: string | null }>('select at from unnest($1::timestamptz[]) as at', [
        timestamptzArray(instants),
      ])
      assert.deepEqual(
        rows.map(({ at }) => at),
        instants,
      )
    }),
    { numRuns: 100 },
  )
})

await t.test('an invalid id or time, or a number out of range, is refused before anything is sent', async (t) => {
  t.throws(() => uuidArray(['01890a5d-ac96-774b-bcce-b302099a8057']))
  t.throws(() => integerArray([2 ** 31]))
  t.throws(() => bigintArray([0.5]))
  t.throws(() => timestamptzArray(['yesterday']))
})
