import type net from 'node:net'
import { pino } from 'pino'
import t from 'tap'
import { newId } from '../../src/ledger/new-id.ts'
import { issueApiKey } from '../../src/accounts/api-keys/api-keys.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { DEFAULT_BODY_LIMIT } from '../../src/http/server/read-body.ts'
import { eventually } from '../support/eventually.ts'
import { lockIsAwaited } from '../support/postgres/lock-awaited.ts'
import { openRawSocket, statusesIn } from '../support/http/raw-socket.ts'
import type { TestCompany } from '../support/service.ts'
import { employee, startService } from '../support/service.ts'
import { holdHead, letGo } from '../support/postgres/held-rows.ts'

/*
 * Large bodies that are stalled, cut off, or sent by a useless key, beside callers who only create an employee. What
 * the service has accepted of a body is counted in bytes read from the connection.
 */

const MIB = 1024 * 1024
const BODY_LIMIT = 8 * MIB
const BODY_BUDGET = 64 * MIB
/** How much of an unread body a connection buffers by itself. */
const BUFFERED = 256 * 1024

const lines: { level: number; msg: string }[] = []
const log = pino(
  { level: 'debug' },
  { write: (line: string) => void lines.push(JSON.parse(line) as { level: number; msg: string }) },
)
const service = await startService(
  t,
  { BODY_BUDGET: String(BODY_BUDGET), CALL_WAIT_MS: '60000', REQUEST_TIMEOUT_MS: '60000' },
  { log },
)
const connections = new Set<net.Socket>()
service.app.server.on('connection', (socket: net.Socket) => connections.add(socket))
const bytesTaken = () => [...connections].reduce((sum, { bytesRead }) => sum + bytesRead, 0)

const secretsOf = ({ key }: Pick<TestCompany, 'key'>) => `x-api-id: ${key.api_id}\r\nx-api-key: ${key.api_key}\r\n`
const head = (company: Pick<TestCompany, 'key'>, length: string) =>
  `POST /v1/employees HTTP/1.1\r\nhost: x\r\n${secretsOf(company)}content-type: application/json\r\n${length}\r\n\r\n`
const sized = (bytes: number) => `content-length: ${bytes}`
const create = (company: Pick<TestCompany, 'key'>) =>
  service.call('POST', '/v1/employees', { body: employee(), key: company.key })
/** A body of this many bytes that creates one employee. */
const padded = (bytes: number) => JSON.stringify(employee({ last_name: 'Li' })).padStart(bytes)

/** Begins uploads of 8 MB that never end. */
async function stall(company: Pick<TestCompany, 'key'>, count: number, start: string, body: Buffer) {
  const sockets = await Promise.all(Array.from({ length: count }, () => openRawSocket(t, service.address)))
  for (const socket of sockets) {
    socket.write(head(company, start))
    socket.write(body)
  }
  return { cut: () => sockets.map((socket) => socket.cut()) }
}

const most = Buffer.alloc(BODY_LIMIT - 1, 0x20)
const chunk = Buffer.concat([Buffer.from(`${MIB.toString(16)}\r\n`), Buffer.alloc(MIB, 0x20), Buffer.from('\r\n')])
const STALLED: [how: string, start: string, body: Buffer][] = [
  ['with their length', sized(BODY_LIMIT), most],
  ['in chunks', 'transfer-encoding: chunked', Buffer.concat(Array.from({ length: 7 }, () => chunk))],
]

for (const [how, start, body] of STALLED) {
  await t.test(
    `40 stalled uploads of 8 MB, ${how}, use only their key's share, and keep nobody else waiting`,
    async (t) => {
      const [abusive, good] = [await service.makeCompany('Abusive'), await service.makeCompany('Good')]
      const sibling = {
        key: await issueApiKey(
          { pool: service.pool, newId },
          { companyId: abusive.id, name: 'Sibling', quotaLimit: 100, refreshPeriod: 'monthly' },
        ),
      }
      const before = bytesTaken()
      const stalled = await stall(abusive, 40, start, body)
      await eventually('one of them is read', async () => bytesTaken() - before > body.length)
      for (let at = 0; at < 20; at += 1) {
        t.equal((await create(good)).status, 201)
        t.equal((await create(sibling)).status, 201, 'another key of the company has its own share')
      }
      const taken = bytesTaken() - before
      t.ok(taken <= BODY_BUDGET / 8 + 60 * BUFFERED, `${taken} bytes`)
      stalled.cut()
      const after = await service.call('POST', '/v1/employees', { body: padded(BODY_LIMIT), key: abusive.key })
      t.equal(after.status, 201, 'the memory is free again')
    },
  )
}

await t.test("chunked uploads that each want their key's whole share do not wait for each other", async (t) => {
  const company = await service.makeCompany('Chunks')
  const upload = async () => {
    const socket = await openRawSocket(t, service.address)
    socket.write(head(company, 'connection: close\r\ntransfer-encoding: chunked'))
    for (let at = 0; at < 3; at += 1) socket.write(chunk)
    const record = padded(200)
    socket.write(`${record.length.toString(16)}\r\n${record}\r\n0\r\n\r\n`)
    return statusesIn(await socket.closed())
  }
  t.strictSame(
    await Promise.all(Array.from({ length: 6 }, upload)),
    Array.from({ length: 6 }, () => [201]),
  )
})

await t.test("a disconnected client's call keeps its memory until it is carried out", async (t) => {
  const company = await service.makeCompany('Gone')
  const holder = await holdHead(service, company)
  const gone = await openRawSocket(t, service.address)
  gone.write(head(company, sized(BODY_LIMIT)))
  gone.write(padded(BODY_LIMIT))
  await lockIsAwaited(service, 'heads')
  gone.cut()
  await gone.closed()
  const before = bytesTaken()
  const next = service.call('POST', '/v1/employees', { body: padded(BODY_LIMIT), key: company.key })
  for (let at = 0; at < 5; at += 1) t.equal((await create(service.company)).status, 201)
  t.ok(bytesTaken() - before < 8 * BUFFERED, `${bytesTaken() - before} bytes`)
  await letGo(holder)
  t.equal((await next).status, 201)
  const { rows } = await service.pool.query(
    'select count(*)::integer as n from employee_directory where company_id = $1',
    [toUuid(company.id)],
  )
  t.equal(rows[0].n, 2, 'it was carried out, too')
})

await t.test('an upload that is cut off is logged only at level debug, and frees its memory', async (t) => {
  const company = await service.makeCompany('Cut off')
  lines.splice(0)
  for (const start of [sized(BODY_LIMIT), 'transfer-encoding: chunked']) {
    const socket = await openRawSocket(t, service.address)
    socket.write(head(company, start))
    socket.write(chunk)
    await eventually('it is under way', async () => [...connections].some(({ bytesRead }) => bytesRead > MIB))
    connections.clear()
    socket.cut()
    await socket.closed()
  }
  const upload = await service.call('POST', '/v1/employees', { body: padded(BODY_LIMIT), key: company.key })
  t.equal(upload.status, 201, 'the memory is free again')
  t.strictSame(
    lines.filter(({ level }) => level > 20),
    [],
  )
  t.equal(lines.filter(({ msg }) => msg === 'the client disconnected before the request was complete').length, 2)
})

const LARGE = DEFAULT_BODY_LIMIT + 1
const REFUSED = [
  {
    name: 'disabled',
    status: 403,
    code: 'key_disabled',
    set: 'update api_keys set is_enabled = false where company_id = $1',
  },
  {
    name: 'for other addresses',
    status: 403,
    code: 'address_not_allowed',
    set: `update api_keys set allowed_networks = '{10.0.0.0/8}' where company_id = $1`,
  },
  {
    name: 'for reading only',
    status: 403,
    code: 'scope_missing',
    set: `update api_keys set scopes = '{employees:read}' where company_id = $1`,
  },
  {
    name: 'out of quota',
    status: 429,
    code: 'quota_exceeded',
    set: 'update api_keys set quota_limit = 0 where company_id = $1',
  },
]
for (const { name, status, code, set } of REFUSED) {
  await t.test(
    `a key that is ${name} has its large body refused unread, with the usual answer and an entry without counts`,
    async (t) => {
      const company = await service.makeCompany(`Key ${name}`)
      t.equal((await create(company)).status, 201, 'it was good a moment ago')
      await service.pool.query(set, [toUuid(company.id)])
      t.match(await create(company), { status, body: { code } })
      for (const length of [sized(LARGE), 'transfer-encoding: chunked']) {
        const socket = await openRawSocket(t, service.address)
        socket.write(head(company, length))
        const answer = await socket.receives(/"code":"[a-z_]+"/)
        t.strictSame(statusesIn(answer), [status], 'although none of the body was sent')
        t.match(answer, `"code":"${code}"`)
      }
      await service.project(company.id)
      const { body } = await service.admin('/bulk-user-logs', company.admin.token)
      t.strictSame(
        body.items.map(({ counts }: { counts: { total: number } }) => counts.total),
        [0, 0, 1, 1],
      )
      t.strictSame(
        body.items.slice(0, 3).map(({ http_status }: { http_status: number }) => http_status),
        [status, status, status],
      )
    },
  )
}

await t.test('a retry at an exhausted quota gets the earlier answer, however large it is', async (t) => {
  const company = await service.makeCompany('Retry')
  const call = { body: padded(LARGE), key: company.key, headers: { 'idempotency-key': 'large' } }
  const first = await service.call('POST', '/v1/employees', call)
  await service.pool.query('update api_keys set quota_limit = 0 where company_id = $1', [toUuid(company.id)])
  const again = await service.call('POST', '/v1/employees', call)
  t.match(again, { status: 201, body: first.body, headers: { 'idempotency-replayed': 'true' } })
})

await t.test('a body without valid credentials is not read, and a long one ends the connection', async (t) => {
  const stranger = { key: { ...service.company.key, api_key: 'none' } }
  const [long, short] = [await openRawSocket(t, service.address), await openRawSocket(t, service.address)]
  long.write(head(stranger, sized(2 * BODY_LIMIT + 1)))
  t.match(await long.closed(), /HTTP\/1.1 401 [^]*connection: close/)
  short.write(head(stranger, sized(10)))
  t.match(await short.receives(/"request_id"/), /HTTP\/1.1 401 /)
  short.write(`${' '.repeat(10)}GET /livez HTTP/1.1\r\nhost: x\r\n\r\n`)
  t.strictSame(statusesIn(await short.receives(/HTTP\/1.1 200/)), [401, 200], 'a short one is discarded')
})
