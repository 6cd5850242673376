import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import t from 'tap'
import { createSigner } from '../../src/bootstrap/keys.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { asSuperuser } from '../support/postgres/as-superuser.ts'
import type { Environment } from '../support/processes/cli.ts'
import { failsWithLine, runCommand, runJson } from '../support/processes/cli.ts'
import { employee, startService } from '../support/service.ts'

const service = await startService(t)
await service.call('POST', '/v1/employees', { body: Array.from({ length: 9 }, () => employee()) })
const { id } = service.company
const SERVICE: Environment = {
  DATABASE_URL: service.config.DATABASE_URL!,
  DATA_DIR: service.config.DATA_DIR,
  SIGNING_KEY: service.config.SIGNING_KEY!,
}
const folder = t.testdir()
const file = (name: string) => path.join(folder, name)
const publicKey = (await createSigner(service.config)).publicKeys(id).current!

const run = (...args: string[]) => runCommand(t, ['audit', ...args], SERVICE)

const exported = await run('export', '--company', id, '--out', file('a.ndjson'))
const text = readFileSync(file('a.ndjson'), 'utf8')
const events = text.split('\n').length - 1

await t.test('an export is the same in a file, on standard output, compressed, and as consecutive parts', async (t) => {
  t.equal(exported.exitCode, 0, exported.stderr)
  t.match(exported.stdout, `wrote events 1 to ${events} of ${id} to ${file('a.ndjson')} and their checkpoint to`)
  const [printed] = await Promise.all([
    run('export', '--company', id),
    run('export', '--company', id, '--out', file('b.ndjson.gz')),
    run('export', '--company', id, '--after', '5', '--out', file('rest.ndjson')),
  ])
  t.equal(printed.stdout, text)
  t.equal(gunzipSync(readFileSync(file('b.ndjson.gz'))).toString(), text)
  t.equal(readFileSync(file('rest.ndjson'), 'utf8'), text.split('\n').slice(5).join('\n'))
})

await t.test('a failed export leaves nothing behind, and overwrites nothing', async (t) => {
  const [taken, unknown, behind, nowhere] = await Promise.all([
    run('export', '--company', id, '--out', file('a.ndjson')),
    run('export', '--company', 'com_01m7wpyc6pe4c84c8xtp0e86m3', '--out', file('x')),
    run('export', '--company', id, '--out', file('x'), '--after', '100000'),
    run('export', '--company', id, '--out', file('no/such/folder')),
  ])
  failsWithLine(t, taken, /a\.ndjson already exists; choose another name for --out\n$/)
  t.equal(readFileSync(file('a.ndjson'), 'utf8'), text)
  failsWithLine(t, unknown, /there is no company com_/)
  failsWithLine(t, behind, /ends at position/)
  t.equal(nowhere.exitCode, 1)
  t.match(nowhere.stderr, /cannot be written: ENOENT/)
  t.notOk(existsSync(file('x')))
})

await t.test('without a signing key the export has no checkpoint, and says so', async (t) => {
  const { exitCode, stdout } = await runCommand(t, ['audit', 'export', '--company', id, '--out', file('unsigned')], {
    ...SERVICE,
    SIGNING_KEY: '',
  })
  t.equal(exitCode, 0)
  t.match(stdout, /no checkpoint was written, because no signing key is set/)
  t.notOk(existsSync(file('unsigned.checkpoint')))
})

await t.test('a signing key is rotated in its file, but not in the environment', async (t) => {
  const own = { DATA_DIR: folder, SIGNING_KEY_FILE: file('key.pem') }
  writeFileSync(file('key.pem'), service.config.SIGNING_KEY!)
  const rotated = await runJson<Record<string, unknown>>(t, ['audit', 'rotate-key'], own)
  t.match(rotated, { key_file: file('key.pem'), retired_keys: 1 })
  const keys = await createSigner({ ...service.config, SIGNING_KEY: undefined, ...own } as never)
  t.strictSame(keys.publicKeys(id).retired, [publicKey])
  failsWithLine(t, await run('rotate-key'), /the signing key comes from SIGNING_KEY/)
})

await t.test('a rolled-back ledger is exported without a checkpoint, and the command fails', async (t) => {
  const signer = await createSigner(service.config)
  await signer.files.append(id, (await signer.sign(service.db, id)).note)
  await asSuperuser(
    service.urls.superUrl,
    `update events set leaf_hash = sha256('x') where company_id = '${toUuid(id)}' and position = 3`,
  )
  const { exitCode, stderr } = await run('export', '--company', id, '--out', file('rolled-back'))
  t.equal(exitCode, 1)
  t.match(
    stderr,
    /the events were written to .*, without a checkpoint\. The ledger of com_\w+ differs from its last external checkpoint/,
  )
  t.notOk(existsSync(file('rolled-back.checkpoint')))
})
