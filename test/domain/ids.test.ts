import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { TypeID } from 'typeid-js'
import { newId } from '../../src/ledger/new-id.ts'
import { fromUuid, isId, toUuid } from '../../src/domain/ids.ts'

const EXAMPLE = fromUuid('emp', '01890a5d-ac96-774b-bcce-b302099a8057')

await t.test("an id and the database's UUID represent the same value", async () => {
  fc.assert(
    fc.property(fc.uuid(), fc.constantFrom('emp', 'log', 'com', 'key', 'usr', 'tok'), (uuid, prefix) => {
      const id = fromUuid(prefix, uuid)
      assert.match(id, new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`))
      assert.ok(isId(prefix, id))
      assert.equal(toUuid(id), uuid)
    }),
  )
})

await t.test('ids and UUIDs are converted as in the TypeID reference implementation', async () => {
  fc.assert(
    fc.property(fc.uuid(), (uuid) => {
      const id = TypeID.fromUUID('emp', uuid).toString()
      assert.equal(fromUuid('emp', uuid), id)
      assert.equal(toUuid(id), TypeID.fromString(id).toUUID())
    }),
    { numRuns: 3000 },
  )
})

await t.test('the example of the TypeID specification', async (t) => {
  t.equal(EXAMPLE, 'emp_01h455vb4pex5vsknk084sn02q')
})

await t.test('an id of another kind or form is refused', async (t) => {
  const id = EXAMPLE
  const suffix = id.slice('emp_'.length)
  for (const text of [
    ...[
      '',
      'emp',
      'emp_',
      suffix,
      `_${suffix}`,
      `usr_${suffix}`,
      `EMP_${suffix}`,
      `emp-${suffix}`,
      ` ${id}`,
      `${id} `,
      `${id}\n`,
    ],
    ...[id.toUpperCase(), `emp_${suffix.toUpperCase()}`, id.slice(0, -1), `${id}0`, `emp_8${suffix.slice(1)}`],
    ...['i', 'l', 'o', 'u', '-', '\0', 'é'].map((letter) => id.slice(0, -1) + letter),
    ...['01890a5d-ac96-774b-bcce-b302099a8057', 7, null, undefined, {}, [id]],
  ]) {
    t.equal(isId('emp', text), false, JSON.stringify(text))
  }
})

const madeUp = fc.stringMatching(/^emp_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
const nearlyOne = fc
  .tuple(fc.nat({ max: EXAMPLE.length - 1 }), fc.stringMatching(/^[0-9a-z]$/))
  .map(([at, letter]) => EXAMPLE.slice(0, at) + letter + EXAMPLE.slice(at + 1))

await t.test('any accepted id converts to a UUID and back, even a made-up one', async (t) => {
  const seen = { ids: 0, others: 0 }
  const check = (text: string) => {
    const isOne: boolean = isId('emp', text)
    if (isOne) assert.equal(fromUuid('emp', toUuid(text)), text)
    else if (text.startsWith('emp_')) assert.throws(() => toUuid(text))
    seen[isOne ? 'ids' : 'others'] += 1
  }
  fc.assert(fc.property(fc.oneof(madeUp, nearlyOne), check), { numRuns: 3000 })
  t.ok(seen.ids > 100 && seen.others > 100, 'some were ids, some were not')
})

await t.test('new ids are UUIDs of version 7, and sort in the order in which they were made', async (t) => {
  const ids = Array.from({ length: 3_000 }, () => newId('emp'))
  t.equal(new Set(ids).size, ids.length)
  t.strictSame(ids.toSorted(), ids)
  const uuids = ids.map(toUuid)
  t.ok(uuids.every((uuid) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(uuid)))
  const made = Number.parseInt(uuids.at(-1)!.slice(0, 13).replace('-', ''), 16)
  t.ok(Math.abs(Date.now() - made) < 60_000, 'they begin with the time')
})

await t.test('each of the 62 bits behind the variant of a new id is random', async (t) => {
  const words = Array.from({ length: 3_000 }, () => BigInt(`0x${toUuid(newId('emp')).slice(19).replace('-', '')}`))
  for (let bit = 0n; bit < 62n; bit += 1n) {
    const ones = words.filter((word) => (word >> bit) % 2n === 1n).length
    // Outside of these once in 10^40.
    t.ok(ones > 1_100 && ones < 1_900, `bit ${bit} is 1 in ${ones} of 3000 ids`)
  }
})
