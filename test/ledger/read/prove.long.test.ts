import assert from 'node:assert/strict'
import type { KyselyPlugin } from 'kysely'
import t from 'tap'
import { fromUuid, toUuid } from '../../../src/domain/ids.ts'
import { rootOf } from '../../../src/ledger/integrity/merkle.ts'
import { isConsistent, isIncluded } from '../../../src/ledger/integrity/merkle-proofs.ts'
import { storeSubtrees } from '../../../src/ledger/read/merkle-subtrees.ts'
import { proveConsistency, proveInclusion } from '../../../src/ledger/read/prove.ts'
import { readHead } from '../../../src/ledger/read/read-head.ts'
import type { LedgerDb } from '../../../src/ledger/tables.ts'
import { asSuperuser } from '../../support/postgres/as-superuser.ts'
import { lengthenLedger } from '../../support/ledger/long-ledger.ts'
import type { TestCompany } from '../../support/service.ts'
import { employee, startService } from '../../support/service.ts'
import { ERASE } from '../../support/ledger/event-row.ts'

const service = await startService(t)
const { db, pool } = service

/** A company with roughly this many events. */
async function longCompany(count: number): Promise<TestCompany> {
  const company = await service.makeCompany(`Company of ${count}`)
  const { body } = await service.call('POST', '/v1/employees', { body: employee(), key: company.key })
  await lengthenLedger(service, company.id, body.employees[0].id, count)
  return company
}

async function leavesOf(company: TestCompany): Promise<Buffer[]> {
  const rows = await db
    .selectFrom('events')
    .select('leaf_hash')
    .where('company_id', '=', toUuid(company.id))
    .orderBy('position')
    .execute()
  return rows.map((row) => row.leaf_hash)
}

const storedOf = async (company: TestCompany) =>
  (
    await pool.query('select level, number, hash from merkle_subtrees where company_id = $1 order by level, number', [
      toUuid(company.id),
    ])
  ).rows

/** Checks proofs of these positions and sizes against the root of the head. */
async function checkProofs(company: TestCompany, on: LedgerDb, places: { position: number; size: number }[]) {
  const head = await readHead(db, company.id)
  const leaves = await leavesOf(company)
  const headRoot = rootOf(head.frontier)
  for (const { position, size } of places) {
    const { leaf, root, hashes } = await proveInclusion(on, company.id, head, { position, size })
    assert.deepEqual(leaf, leaves[position - 1])
    assert.ok(isIncluded({ number: position - 1, hash: leaf }, { size, root }, hashes), `${position} of ${size}`)
    const proof = await proveConsistency(on, company.id, head, { from: size, to: head.position })
    assert.deepEqual(proof.toRoot, headRoot)
    assert.deepEqual(proof.fromRoot, root)
    const [before, after] = [
      { size, root },
      { size: head.position, root: headRoot },
    ]
    assert.ok(isConsistent(before, after, proof.hashes), `${size} to ${head.position}`)
  }
}

const long = await longCompany(20_000)
const { position: head } = await readHead(db, long.id)
const SPREAD = [
  ...[1, 2, 255, 256, 257, 511, 512, 4_096, 4_097, 16_384, 16_385].flatMap((position) => [
    { position, size: head },
    { position, size: Math.max(position, 8_192) },
    { position, size: position },
  ]),
  { position: head, size: head },
]

await t.test('a small ledger proves each event at each size', async (t) => {
  const company = await longCompany(3)
  const { position: head } = await readHead(db, company.id)
  const places = []
  for (let size = 1; size <= head; size += 1)
    for (let position = 1; position <= size; position += 1) places.push({ position, size })
  await checkProofs(company, db, places)
  t.ok(places.length > 100)
  t.strictSame(await storedOf(company), [], 'so few events need no stored subtree')
})

await t.test('a long ledger proves events too, even before subtrees are stored', async (t) => {
  await checkProofs(long, db, SPREAD)
  const stored = await storedOf(long)
  const complete = [8, 9, 10, 11, 12, 13, 14].reduce((sum, level) => sum + Math.floor(head / 2 ** level), 0)
  t.equal(stored.length, complete, 'every complete subtree of 256 leaves or more is now stored')
})

/** A query builder that counts the rows that it reads. */
function counting(): { db: LedgerDb; rows: () => number } {
  let rows = 0
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      rows += result.rows.length
      return result
    },
  }
  return { db: db.withPlugin(plugin), rows: () => rows }
}

await t.test('with stored subtrees, a proof reads a few hundred of 20,000 rows', async (t) => {
  const at = await readHead(db, long.id)
  let most = 0
  for (const place of SPREAD) {
    const [inclusion, consistency] = [counting(), counting()]
    await proveInclusion(inclusion.db, long.id, at, place)
    await proveConsistency(consistency.db, long.id, at, { from: place.size, to: head })
    most = Math.max(most, inclusion.rows(), consistency.rows())
  }
  // Up to 256 leaves beside the leaf, at the size and at the head, and above them at most two for each level of each.
  const bound = 3 * 256 + 6 * Math.ceil(Math.log2(head))
  t.ok(most <= bound, `${most} rows of at most ${bound}`)
})

await t.test('the next proof stores the subtrees of appended events', async () => {
  const { rows } = await pool.query<{ stream: string }>(
    `select stream_id as stream from events where company_id = $1 order by position desc limit 1`,
    [toUuid(long.id)],
  )
  await lengthenLedger(service, long.id, fromUuid('emp', rows[0]!.stream), 3_000)
  const { position } = await readHead(db, long.id)
  await checkProofs(long, db, [
    { position, size: position },
    { position: head + 1, size: position },
    { position: 1, size: head },
  ])
})

await t.test('concurrent requests store the same subtrees without a gap', async (t) => {
  const company = await longCompany(12_000)
  const { position } = await readHead(db, company.id)
  const other = await longCompany(0)
  t.strictSame(await Promise.all([1, 2, 3].map(() => storeSubtrees(db, company.id, position))), [true, true, true])
  const together = await storedOf(company)
  t.equal(together.filter(({ level }) => level === 8).length, Math.floor(position / 256))
  await pool.query('delete from merkle_subtrees where company_id = $1', [toUuid(company.id)])
  await storeSubtrees(db, company.id, position)
  t.strictSame(together, await storedOf(company))
  t.strictSame(await storedOf(other), [])
})

await t.test('a request stores a limited number of subtrees, and the next one continues', async (t) => {
  const company = await longCompany(9_000)
  const { position } = await readHead(db, company.id)
  const stored = async () => (await storedOf(company)).filter(({ level }) => level === 8).length
  t.equal(await storeSubtrees(db, company.id, position, 1), false)
  t.equal(await stored(), 16)
  t.equal(await storeSubtrees(db, company.id, position, 1), false)
  t.equal(await stored(), 32)
  t.equal(await storeSubtrees(db, company.id, position, 1), true)
  t.equal(await stored(), Math.floor(position / 256))
})

await t.test('wrong and missing subtrees are stored again', async (t) => {
  const company = toUuid(long.id)
  const right = await storedOf(long)
  const spoil = [
    `update merkle_subtrees set hash = sha256('x') where company_id = '${company}' and level = 8 and number = 3`,
    `update merkle_subtrees set hash = sha256('x') where company_id = '${company}' and level = 14`,
    `delete from merkle_subtrees where company_id = '${company}' and level = 12 and number = 0`,
    `delete from merkle_subtrees where company_id = '${company}' and level = 8 and number = 0`,
    `delete from merkle_subtrees where company_id = '${company}' and number > 1`,
  ]
  const { position: size } = await readHead(db, long.id)
  // Their audit paths use every one of these.
  const places = [1, 257, 513, 4_097, 16_385].map((position) => ({ position, size }))
  for (const statement of spoil) {
    await asSuperuser(service.urls.superUrl, statement)
    await checkProofs(long, db, places)
    t.strictSame(await storedOf(long), right, statement)
  }
})

await t.test('an erased event still has its proof', async () => {
  const company = await longCompany(300)
  await asSuperuser(service.urls.superUrl, `update events set ${ERASE} where company_id = '${toUuid(company.id)}'`)
  const { position: size } = await readHead(db, company.id)
  await checkProofs(company, db, [
    { position: 20, size },
    { position: 290, size: 300 },
  ])
})

await t.test('a ledger whose leaves do not match its head proves nothing', async (t) => {
  const company = await longCompany(600)
  const uuid = toUuid(company.id)
  const at = await readHead(db, company.id)
  await asSuperuser(
    service.urls.superUrl,
    `update events set leaf_hash = sha256('x') where company_id = '${uuid}' and position = 100`,
  )
  await t.rejects(proveInclusion(db, company.id, at, { position: 500, size: at.position }), {
    message: /do not match the root/,
  })
  await t.rejects(proveConsistency(db, company.id, at, { from: 50, to: at.position }), {
    message: /do not match the root/,
  })
  await asSuperuser(service.urls.superUrl, `delete from events where company_id = '${uuid}' and position = 100`)
  await t.rejects(proveInclusion(db, company.id, at, { position: 500, size: at.position }), { message: /missing/ })
})
