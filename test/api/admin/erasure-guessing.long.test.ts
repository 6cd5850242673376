import { createHash, createHmac } from 'node:crypto'
import pg from 'pg'
import t from 'tap'
import { toUuid } from '../../../src/domain/ids.ts'
import { expireAnswers } from '../../../src/ledger/append/expire-answers.ts'
import type { Service } from '../../support/service.ts'
import { employee, startService } from '../../support/service.ts'
import { moveBack } from '../../support/postgres/move-back.ts'

/*
 * An attacker has the whole database, knows the form of the calls, and tries every value that a person might have had.
 * Each guess is hashed in every way that the service uses, with every stored secret and salt, and compared with every
 * stored hash.
 */

/** A wrong guess and the right one: each takes thousands of hashes. */
const PHONES = ['+4915112300010', '+4915112300027']
const EMAILS = ['p0@example.com', 'p11@example.com']
const NAMES = ['garcia', 'perez']
const PHONE = PHONES[1]!
const EMAIL = EMAILS[1]!
const NAME = NAMES[1]!

const sha256 = (...parts: (string | Buffer)[]) =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest()
const hmac = (key: Buffer, message: string | Buffer) => createHmac('sha256', key).update(message).digest()

/** All byte strings in all tables of the database. */
async function storedBytes(superUrl: string): Promise<Buffer[]> {
  const client = new pg.Client({ connectionString: superUrl })
  await client.connect()
  try {
    const { rows: columns } = await client.query<{ name: string; field: string }>(
      `select format('%I.%I', table_schema, table_name) as name, format('%I', column_name) as field from information_schema.columns
       where data_type = 'bytea' and table_schema not in ('pg_catalog', 'information_schema')`,
    )
    const found: Buffer[] = []
    for (const { name, field } of columns) {
      const { rows } = await client.query<{ bytes: Buffer }>(
        `select ${field} as bytes from ${name} where ${field} is not null`,
      )
      found.push(...rows.map(({ bytes }) => bytes))
    }
    return found
  } finally {
    await client.end()
  }
}

/** The guesses that the database confirms. `textsOf` returns the texts that the service would have hashed. */
async function guess(service: Service, guesses: string[], textsOf: (value: string) => string[]): Promise<string[]> {
  const stored = await storedBytes(service.urls.superUrl)
  const hashes = new Set(stored.filter(({ length }) => length === 32).map((bytes) => bytes.toString('hex')))
  const secrets = stored.filter(({ length }) => length === 16 || length === 32)
  const isStored = (hash: Buffer) => hashes.has(hash.toString('hex'))
  return guesses.filter((value) => {
    return textsOf(value).some((text) => {
      const plain = sha256(text)
      const underSecret = (secret: Buffer) => {
        return [
          hmac(secret, text),
          hmac(secret, plain),
          sha256(secret, text),
          sha256(secret, sha256(secret, text)),
        ].some(isStored)
      }
      return isStored(plain) || secrets.some(underSecret)
    })
  })
}

/** The text that is hashed for a request: method, path, and the hash of its body. */
function requestText(method: string, path: string, body: unknown): string {
  return `${method} ${path}\n${sha256(JSON.stringify(body)).toString('hex')}`
}

/** Makes calls that name the person, with idempotency keys. Returns the texts for any phone, e-mail or former name. */
async function makeCalls(service: Service) {
  const [other, bad] = [employee({ external_id: 'other' }), employee({ status: 'gone' })]
  const ana = (phone: string) => ({ first_name: 'Ana', last_name: 'Perez', email: EMAIL, phone })
  await service.call('POST', '/v1/employees', { body: other })
  let keys = 0
  const keyed = (method: 'POST' | 'PATCH', path: string, body: unknown) =>
    service.call(method, path, { body, headers: { 'idempotency-key': `key-${(keys += 1)}` } })
  await keyed('POST', '/v1/employees', [{ ...ana(PHONE), first_name: 7 }])
  await keyed('POST', '/v1/employees', [ana(PHONE), bad])
  const { body: created } = await keyed('POST', '/v1/employees', [ana(PHONE)])
  const { id } = created.employees[0]
  await keyed('PATCH', `/v1/employees/${id}`, { phone: PHONE })
  await keyed('PATCH', '/v1/employees', [{ external_id: 'other', manager_email: EMAIL }])
  await keyed('PATCH', '/v1/employees', [{ external_id: 'other', manager_email: EMAIL }, { external_id: 'nobody' }])
  await keyed('PATCH', `/v1/employees/${id}`, { last_name: 'Soto', email: 'ana.soto@example.com' })
  await service.project()
  return {
    id,
    ofPhone: (phone: string) => [
      requestText('POST', '/v1/employees', [{ ...ana(phone), first_name: 7 }]),
      requestText('POST', '/v1/employees', [ana(phone), bad]),
      requestText('POST', '/v1/employees', [ana(phone)]),
      requestText('PATCH', `/v1/employees/${id}`, { phone }),
    ],
    ofEmail: (email: string) => [
      requestText('PATCH', '/v1/employees', [{ external_id: 'other', manager_email: email }]),
      requestText('PATCH', '/v1/employees', [
        { external_id: 'other', manager_email: email },
        { external_id: 'nobody' },
      ]),
      ...['', `${toUuid(service.company.id)} `].map((before) => `${before}email:${email}`),
    ],
    ofName: (name: string) => [`name:${name}`],
  }
}

await t.test('after an erasure, the whole database confirms no guess about the person', async (t) => {
  const service = await startService(t)
  const { id, ofPhone, ofEmail, ofName } = await makeCalls(service)
  t.strictSame(await guess(service, PHONES, ofPhone), [PHONE], 'before, the right guess is confirmed')
  t.strictSame(await guess(service, EMAILS, ofEmail), [EMAIL])
  t.strictSame(await guess(service, NAMES, ofName), [NAME])
  t.equal((await service.manage('POST', '/erasures', { employee_id: id })).status, 200)
  await service.project()
  t.strictSame(await guess(service, PHONES, ofPhone), [])
  t.strictSame(await guess(service, EMAILS, ofEmail), [])
  t.strictSame(await guess(service, NAMES, ofName), [])
})

await t.test('the same holds for a person who was never created', async (t) => {
  const service = await startService(t)
  const [record, other] = [{ ...employee({ email: EMAIL }), first_name: 7 }, employee()]
  const ofPhone = (phone: string) =>
    [[{ ...record, phone }], [{ ...other, phone }, record]].map((body) => requestText('POST', '/v1/employees', body))
  for (const [at, body] of [[{ ...record, phone: PHONE }], [{ ...other, phone: PHONE }, record]].entries()) {
    await service.call('POST', '/v1/employees', { body, headers: { 'idempotency-key': `key-${at}` } })
  }
  t.strictSame(await guess(service, PHONES, ofPhone), [PHONE])
  t.equal((await service.manage('POST', '/erasures', { email: EMAIL })).status, 200)
  t.strictSame(await guess(service, PHONES, ofPhone), [])
})

await t.test('the same holds for a call whose answer had expired', async (t) => {
  const service = await startService(t)
  const { id, ofPhone } = await makeCalls(service)
  await moveBack(service, 'idempotency_keys', 'answered_at', 73 * 3_600)
  await expireAnswers(service.pool, 72)
  t.strictSame(await guess(service, PHONES, ofPhone), [], 'an expired row does not confirm its request')
  t.equal((await service.manage('POST', '/erasures', { employee_id: id })).status, 200)
  t.strictSame(await guess(service, PHONES, ofPhone), [])
})

await t.test('a retry of a call that named the person gets 409 with its log id; others are replayed', async (t) => {
  const service = await startService(t)
  const send = (key: string, body: unknown) =>
    service.call('POST', '/v1/employees', { body, headers: { 'idempotency-key': key } })
  const [ana, bo] = [employee(), employee()]
  const first = await send('ana', ana)
  const refused = await send('refused', [ana, employee({ status: 'gone' })])
  const bystander = await send('bo', bo)
  await service.manage('POST', '/erasures', { employee_id: first.body.employees[0].id })
  for (const [key, body, logId] of [
    ['ana', ana, first.body.log_id],
    ['ana', bo, first.body.log_id],
    ['refused', [ana], refused.body.log_id],
  ] as const) {
    t.match(await send(key, body), { status: 409, body: { code: 'idempotency_response_expired', log_id: logId } })
  }
  t.strictSame((await send('bo', bo)).body, bystander.body)
})
