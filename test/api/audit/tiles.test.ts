import t from 'tap'
import { request } from 'undici'
import { inputs } from '../../support/quick.ts'
import { lengthenLedger } from '../../support/ledger/long-ledger.ts'
import { employee, startService } from '../../support/service.ts'
import { introduce, publishOnce } from '../../support/witnesses/publishing.ts'
import { startWitness } from '../../support/witnesses/test-witness.ts'
import {
  leafOf,
  pathOf,
  readAllEntries,
  readLevel,
  readRoot,
  rootOfHashes,
} from '../../support/witnesses/tile-client.ts'

const EVENTS = inputs(700, 70_000)
const witness = await startWitness(t, 'w1')
const service = await startService(t, witness.settings)
const { company } = service
const { body } = await service.call('POST', '/v1/employees', { body: employee() })
await lengthenLedger(service, company.id, body.employees[0].id, EVENTS)

async function get(path: string, { token = company.auditor.token, of = company.id } = {}) {
  const url = `${service.address}/audit/v1/tlog/${of}/${path}`
  const { statusCode, headers, body: answer } = await request(url, { headers: { authorization: `Bearer ${token}` } })
  return { status: statusCode, headers, bytes: Buffer.from(await answer.arrayBuffer()) }
}

async function fetch(path: string): Promise<Buffer> {
  const { status, bytes } = await get(path)
  if (status !== 200) throw new Error(`${path}: ${status}`)
  return bytes
}

const checkpointOf = async () => {
  const [, size, root] = (await fetch('checkpoint')).toString().split('\n')
  return { size: Number(size), root: root! }
}

await t.test('another client computes the root of the checkpoint from tiles, and the tiles from entries', async (t) => {
  const { size, root } = await checkpointOf()
  t.ok(size > EVENTS)
  t.equal((await readRoot(fetch, size)).toString('base64'), root)
  const leaves = await readLevel(fetch, 0, size)
  t.equal(rootOfHashes(leaves).toString('base64'), root)
  const entries = await readAllEntries(fetch, size)
  t.equal(entries.length, size)
  t.ok(entries.every((entry, at) => leafOf(entry).equals(leaves[at]!)))
  for (let level = 1; 256 ** level <= size; level += 1) {
    const below = await readLevel(fetch, level - 1, size)
    const above = await readLevel(fetch, level, size)
    t.equal(above.length, Math.floor(below.length / 256))
    t.ok(above.every((hash, at) => hash.equals(rootOfHashes(below.slice(256 * at, 256 * (at + 1))))))
  }
})

await t.test('smaller trees are read from the same tiles', async (t) => {
  const leaves = await readLevel(fetch, 0, 600)
  for (const size of [1, 2, 255, 256, 257, 511, 512, 600])
    t.ok((await readRoot(fetch, size)).equals(rootOfHashes(leaves.slice(0, size))), String(size))
})

await t.test('a tile may be kept for ever by the client, and a checkpoint may not', async (t) => {
  for (const path of [pathOf(0, 0), pathOf(0, 1, 7), pathOf(1, 0, 2), pathOf('entries', 0)]) {
    const { headers } = await get(path)
    t.match(headers, {
      'cache-control': 'private, max-age=31536000, immutable',
      'content-type': 'application/octet-stream',
    })
  }
  t.match((await get('checkpoint')).headers, {
    'cache-control': 'no-store',
    'content-type': 'text/plain; charset=utf-8',
  })
})

await t.test('what is not in the tree, or has another form, is not there', async (t) => {
  const { size } = await checkpointOf()
  const beyond = [pathOf(0, Math.floor(size / 256)), pathOf(0, Math.floor(size / 256), (size % 256) + 1), pathOf(5, 0)]
  const malformed = [
    '0/0',
    '0/0000',
    '0/x000/000',
    '0/000.p/0',
    '0/000.p/256',
    '0/000.p/01',
    '0/000/001',
    '00/000',
    '64/000',
  ]
  const others = [
    '0/-01',
    '-1/000',
    '0/000.p/',
    'entries/000.p/256',
    'entries/x999/x999/x999/x999/999',
    '0/x1/000',
    '9/x999/000',
  ]
  for (const path of [...beyond, ...[...malformed, ...others].map((path) => `tile/${path}`), 'tile/0', 'entries/000']) {
    t.equal((await get(path)).status, 404, path)
  }
})

await t.test('only auditors and administrators of the company read its tiles', async (t) => {
  const other = await service.makeCompany('Other')
  for (const path of ['checkpoint', pathOf(0, 0), pathOf('entries', 0)]) {
    t.equal((await get(path, { token: company.admin.token })).status, 200)
    t.equal((await get(path, { token: company.member.token })).status, 403)
    t.equal((await get(path, { token: 'el_user_x' })).status, 401)
    t.equal((await get(path, { token: other.auditor.token })).status, 404, 'the ledger of another company')
    t.equal((await get(path, { of: other.id })).status, 404)
  }
})

await t.test('entries stay the same when data are erased', async (t) => {
  const { size } = await checkpointOf()
  const before = await readAllEntries(fetch, size)
  const { status } = await service.manage('POST', '/erasures', { employee_id: body.employees[0].id })
  t.equal(status, 200)
  const after = await readAllEntries(fetch, size)
  t.ok(before.every((entry, at) => entry.equals(after[at]!)))
})

await t.test('with witnesses, the checkpoint is the newest that a quorum has cosigned', async (t) => {
  const head = await checkpointOf()
  await introduce(service, witness)
  await publishOnce(service)
  const witnessed = await fetch('checkpoint')
  t.match(witnessed.toString(), witness.key.name)
  await service.call('POST', '/v1/employees', { body: employee() })
  t.strictSame(await fetch('checkpoint'), witnessed)
  t.ok((await checkpointOf()).size >= head.size)
})
