import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import t from 'tap'
import { createSigner, createConfiguredSecretBox } from '../../../src/bootstrap/keys.ts'
import { toUuid } from '../../../src/domain/ids.ts'
import { createStoredFiles, makeStoredFile } from '../../../src/evidence/make-stored-file.ts'
import {
  beginFile,
  claimFile,
  expireFiles,
  listCompaniesWithFiles,
  renewFile,
  storeChunk,
} from '../../../src/ledger/evidence/stored-files.ts'
import { readMe } from '../../../src/pages/evidence/read-me.ts'
import { browse, cookieOf } from '../../support/http/sessions.ts'
import { startService } from '../../support/service.ts'
import { makeHistory, unpack, verifyVariants, writeFiles } from '../../support/ledger/evidence.ts'

const service = await startService(t)
const { db, pool, company } = service
const secrets = await createConfiguredSecretBox(service.config)
const signer = await createSigner(service.config)
const services = { db, pool, secrets, signer, storyteller: readMe, log: pino({ level: 'silent' }) }
const announced: string[] = []
const announce = (companyIds: string[]) => void announced.push(...companyIds)
const files = createStoredFiles({ db, announce, secrets })
const never = new AbortController().signal
const ana = await makeHistory(service, 'Ana')
const whole = { subject: { kind: 'period', from: null, to: null }, requestedBy: company.auditor.user_id } as const

const run = () => makeStoredFile(services, announced.pop()!, never)
/** As if the process that makes the file had been killed a while ago. */
const kill = () => pool.query(`update evidence_files set leased_until = now() - interval '1 second'`)
async function readAll() {
  const chunks: Buffer[] = []
  for await (const chunk of files.readChunks(company.id, (await files.read(company.id))!)) chunks.push(chunk)
  return unpack(Buffer.concat(chunks))
}
const countChunks = async () =>
  (await pool.query<{ n: number }>('select count(*)::int as n from evidence_chunks')).rows[0]!.n

await t.test('a requested file is made by a job, and can be read', async (t) => {
  t.equal(await files.read(company.id), null)
  t.equal(await files.request(company.id, whole), true)
  t.match(await files.read(company.id), { state: 'waiting', events: 0 })
  t.equal(await files.request(company.id, whole), false, 'one at a time')
  await run()
  const file = (await files.read(company.id))!
  t.match(file, { state: 'done', subject: whole.subject, requestedBy: company.auditor.user_id })
  t.equal(file.eventsRead, file.events)
  const folder = writeFiles(t.testdirName, await readAll())
  t.match(verifyVariants(folder, [{}]), [{ kind: 'consistent' }])
})

await t.test('nothing that was stored can be read without the key outside of the database', async (t) => {
  const { rows } = await pool.query<{ content: Buffer }>('select content from evidence_chunks')
  t.ok(rows.length > 0)
  t.notOk(rows.some(({ content }) => content.includes('events.ndjson')))
  const other = createStoredFiles({ db, announce, secrets: await otherBox() })
  await t.rejects(other.readChunks(company.id, (await other.read(company.id))!).next(), {
    name: 'UnreadableSecretError',
  })
})

async function otherBox() {
  const SECRETS_KEY = Buffer.alloc(32, 7).toString('base64')
  return createConfiguredSecretBox({ ...service.config, SECRETS_KEY })
}

await t.test('a file that is made twice at once is whole, and has the chunks of one attempt', async (t) => {
  t.equal(await files.request(company.id, whole), true)
  const attempt = () => makeStoredFile(services, company.id, never)
  const first = attempt()
  await kill()
  await Promise.all([first, attempt()])
  t.match(await files.read(company.id), { state: 'done' })
  t.equal(await countChunks(), (await files.read(company.id))!.chunks)
  t.ok((await readAll())['manifest.json'])
})

await t.test('an attempt that was given up stores nothing more', async (t) => {
  t.equal(await files.request(company.id, whole), true)
  const { fileId } = (await files.read(company.id))!
  await run()
  const chunk = { number: 99, content: Buffer.from('late'), bytes: 4, eventsRead: 1 }
  t.equal(await storeChunk(db, company.id, fileId, chunk), false)
  t.equal(await countChunks(), (await files.read(company.id))!.chunks)
})

await t.test('the file of a process that was killed is made by the next one when its lease ends', async (t) => {
  t.equal(await files.request(company.id, whole), true)
  const killed = randomUUID()
  t.ok(await claimFile(pool, company.id, killed))
  t.equal(await beginFile(db, company.id, killed, { size: 1, events: 1 }), true)
  t.strictSame(await listCompaniesWithFiles(pool), [], 'its process has it to itself')
  await run()
  t.match(await files.read(company.id), { state: 'making' })
  t.equal(await renewFile(pool, company.id, killed), true)
  await kill()
  t.strictSame(await listCompaniesWithFiles(pool), [company.id])
  await makeStoredFile(services, company.id, never)
  t.match(await files.read(company.id), { state: 'done' })
  t.equal(await renewFile(pool, company.id, killed), false)
  t.ok((await readAll())['manifest.json'])
})

await t.test('a process that stops leaves its file to the next one at once', async (t) => {
  t.equal(await files.request(company.id, whole), true)
  await makeStoredFile(services, company.id, AbortSignal.abort())
  t.strictSame(await listCompaniesWithFiles(pool), [company.id])
  await run()
  t.match(await files.read(company.id), { state: 'done' })
})

await t.test('a file that kills the processes that make it is given up after three, within a minute', async (t) => {
  t.equal(await files.request(company.id, whole), true)
  announced.pop()
  for (let attempts = 0; attempts < 3; attempts += 1) {
    const fileId = randomUUID()
    t.ok(await claimFile(pool, company.id, fileId))
    t.equal(await beginFile(db, company.id, fileId, { size: 1, events: 1 }), true)
    await kill()
  }
  t.equal(await claimFile(pool, company.id, randomUUID()), null)
  await pool.query(`update evidence_files set seen_at = now() - interval '61 seconds'`)
  t.match(await files.read(company.id), { state: 'stopped' })
  t.equal(await files.request(company.id, whole), true, 'and can be requested again')
  await run()
  t.match(await files.read(company.id), { state: 'done' })
})

await t.test('a file that nobody works on is given up', async (t) => {
  t.equal(await files.request(company.id, whole), true)
  announced.pop()
  await pool.query(`update evidence_files set seen_at = now() - interval '11 minutes'`)
  t.match(await files.read(company.id), { state: 'stopped' })
  t.equal(await files.request(company.id, whole), true)
  await run()
  t.match(await files.read(company.id), { state: 'done' })
})

await t.test('what cannot be made says why', async (t) => {
  const subject = { kind: 'employee', id: `emp_${company.id.slice(4)}` } as const
  t.equal(await files.request(company.id, { ...whole, subject }), true)
  await run()
  t.match(await files.read(company.id), { state: 'failed', problem: /^no /i })
})

await t.test('an erasure ends a file: nobody can read it, and its key is gone', async (t) => {
  await pool.query(`update evidence_files set state = 'done'`)
  t.equal(await files.request(company.id, whole), true)
  await run()
  const file = (await files.read(company.id))!
  const reading = files.readChunks(company.id, file)
  const other = await service.makeCompany('Another')
  t.equal(await files.request(other.id, whole), true)
  await run()
  t.equal((await service.manage('POST', '/erasures', { employee_id: ana.id })).status, 200)
  t.equal(await files.read(company.id), null)
  await t.rejects(reading.next(), { name: 'ErasedMeanwhileError' })
  t.match(await files.read(other.id), { state: 'done' }, 'files of other companies stay')
  const left = () => pool.query('select from evidence_chunks where company_id = $1', [toUuid(company.id)])
  t.not((await left()).rowCount, 0)
  await expireFiles(pool)
  t.equal((await left()).rowCount, 0)
  t.match(await files.read(other.id), { state: 'done' })
})

await t.test('a file that an erasure by an earlier version has overtaken is not read', async (t) => {
  const zoe = await makeHistory(service, 'Zoe')
  t.equal(await files.request(company.id, whole), true)
  await run()
  const { rows } = await pool.query('select * from evidence_files where company_id = $1', [toUuid(company.id)])
  t.equal((await service.manage('POST', '/erasures', { employee_id: zoe.id })).status, 200)
  const columns = Object.keys(rows[0])
  await pool.query(
    `insert into evidence_files (${columns.join(', ')}) values (${columns.map((_, at) => `$${at + 1}`).join(', ')})`,
    Object.values(rows[0]),
  )
  t.equal(await files.read(company.id), null)
})

await t.test('a file is gone after a day', async (t) => {
  const { rows } = await pool.query<{ hours: number }>(
    'select extract(epoch from expires_at - requested_at)::int / 3600 as hours from evidence_files',
  )
  t.ok(rows.length > 0 && rows.every(({ hours }) => hours === 24))
  const other = await service.makeCompany('Tomorrow')
  t.equal(await files.request(other.id, whole), true)
  await run()
  t.match(await files.read(other.id), { state: 'done' })
  await pool.query('update evidence_files set expires_at = now()')
  t.equal(await files.read(other.id), null, 'also before it is deleted')
  const cookie = await cookieOf(service, other.auditor)
  t.equal((await browse(service, '/settings/ledger/evidence/stored', { cookie })).status, 404)
  t.notMatch((await browse(service, '/settings/ledger/evidence', { cookie })).text, 'evidence/stored')
  await pool.query(`update evidence_files set state = 'waiting', leased_until = null, attempts = 0`)
  t.equal(await claimFile(pool, other.id, randomUUID()), null, 'nor is it made')
  await expireFiles(pool)
  t.strictSame((await pool.query('select from evidence_files')).rowCount, 0)
  t.equal(await countChunks(), 0)
})
