import { sql } from 'kysely'
import t from 'tap'
import { addUser } from '../../src/accounts/users/change-user.ts'
import { readConfig } from '../../src/config.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { eventually } from '../support/eventually.ts'
import { openRawSocket } from '../support/http/raw-socket.ts'
import type { Answer } from '../support/service.ts'
import { send } from '../support/service.ts'
import { openStage } from './stage.ts'

/*
 * A file of 20,000 rows while processes are killed (SIGKILL): the API process and both workers, at several points of
 * the preview and of applying it. In the end, every row is applied exactly once, every part has exactly one entry, and
 * the upload says so. Then a file without most of these people, while they are deactivated.
 */

const PARTS = 20
const ROWS = readConfig({}).MAX_RECORDS * PARTS

const stage = await openStage({ apis: 1, workers: 2 })
t.teardown(() => stage.cleanup.run())

const [api] = stage.apis
const [company] = await stage.makeCompanies(1)
const companyId = company!.companyId
const admin = await stage.withServices((services) =>
  addUser(services, { companyId, email: 'admin@example.com', name: 'Admin', role: 'admin' }),
)

/** Asks until there is an answer: the process may just have been killed. */
async function ask(method: string, path: string, body?: string): Promise<Answer> {
  for (;;) {
    await api!.ready()
    const headers = {
      authorization: `Bearer ${admin.token}`,
      ...(body === undefined ? {} : { 'content-type': 'text/csv' }),
    }
    const answer = await send(api!.address, method, `/admin/v1${path}`, { key: null, headers, body }).catch(() => null)
    if (answer && answer.status < 500) return answer
  }
}

const rows = Array.from({ length: ROWS }, (_, at) => `E-${at},Ada ${at},Lovelace,ada.${at}@example.com,${at % 7}`)
const FILE = ['external_id,first_name,last_name,email,custom_attributes.grade', ...rows].join('\n')

type Parts = { state: string; counts: unknown; log_id: string; rows: number }[]
const partsOf = async (path: string) => (await ask('GET', path)).body.parts as Parts
const applied = (parts: Parts) => parts.filter(({ state }) => state === 'applied').length

await t.test('every row of a large file is applied exactly once, whichever processes are killed', async (t) => {
  // Killed while it receives the file, the service keeps nothing of it.
  const cut = await openRawSocket(t, api!.address)
  cut.write(
    `POST /admin/v1/uploads HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${admin.token}\r\ncontent-type: text/csv\r\n` +
      `content-length: ${Buffer.byteLength(FILE)}\r\nexpect: 100-continue\r\n\r\n`,
  )
  await cut.receives(/100 Continue/)
  cut.write(FILE.slice(0, FILE.length / 2))
  await api!.restart('SIGKILL')
  t.strictSame((await ask('GET', '/uploads')).body.items, [])
  const { body: upload } = await ask('POST', '/uploads?file_name=staff.csv', FILE)
  t.equal(upload.rows, ROWS)
  t.equal(upload.parts.length, PARTS)
  const path = `/uploads/${upload.id}`

  await eventually('some parts are counted', async () => (await partsOf(path)).some(({ counts }) => counts !== null))
  await Promise.all([...stage.workers, api!].map((part) => part.restart('SIGKILL')))
  const isPreviewed = async () => (await ask('GET', path)).body.state === 'previewed'
  await eventually('the preview is complete', isPreviewed)

  await Promise.all([ask('POST', `${path}/apply`), ask('POST', `${path}/apply`)])
  let kills = 0
  const [first, second] = stage.workers
  // Without both workers nothing goes on, so at least the first three kills come before the last part.
  for (const victims of [stage.workers, [...stage.workers, api!], stage.workers, [first!], [second!, api!]]) {
    const before = applied(await partsOf(path))
    if (before === PARTS) break
    const goesOn = async () => applied(await partsOf(path)) > before
    await eventually('another part is applied', goesOn)
    await Promise.all(victims.map((part) => part.restart('SIGKILL')))
    kills += 1
    ask('POST', `${path}/apply`).catch(() => undefined)
  }
  t.ok(kills >= 3, `killed ${kills} times while it was applied`)
  const isEnded = async () => (await ask('GET', path)).body.state === 'ended'
  await eventually('the file is applied', isEnded)
  t.ok(await stage.settled([companyId]))

  const parts = await partsOf(path)
  t.ok(parts.every(({ state }) => state === 'applied'))
  const entries: { id: string; counts: unknown; file: { part: { number: number } } }[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const { body } = await ask('GET', `/bulk-user-logs?limit=200${cursor === '' ? '' : `&cursor=${cursor}`}`)
    entries.push(...body.items)
    cursor = body.next_cursor
  }
  t.strictSame(
    entries.map(({ id }) => id).toReversed(),
    parts.map(({ log_id: id }) => id),
    'each part has one entry, in the order of the file',
  )
  await stage.withDatabase(async (db) => {
    const { rows: counted } = await sql`
      select count(*) filter (where type = 'EmployeeCreated')::integer as created,
        count(*) filter (where type in ('EmployeeUpdated', 'ApiCallFailed'))::integer as others,
        (select count(*) from employee_directory d where d.company_id = ${toUuid(companyId)})::integer as employees
      from events where company_id = ${toUuid(companyId)}`.execute(db)
    t.strictSame(counted, [{ created: ROWS, others: 0, employees: ROWS }])
  })
})

await t.test('whoever is not in a file is deactivated exactly once, whichever processes are killed', async (t) => {
  const first = FILE.split('\n', 1 + ROWS / PARTS).join('\n')
  const { body: upload } = await ask('POST', '/uploads?file_name=left.csv', first)
  const path = `/uploads/${upload.id}`
  const missing = ROWS - ROWS / PARTS
  t.match((await ask('PUT', `${path}/missing`)).body, { count: missing, active: ROWS })
  const apply = () => ask('POST', `${path}/apply?deactivate=${missing}`)
  await Promise.all([apply(), apply()])
  for (let kills = 0; kills < 3; kills += 1) {
    const before = applied(await partsOf(path))
    const goesOn = async () => applied(await partsOf(path)) > before
    await eventually('another part is applied', goesOn)
    await Promise.all(stage.workers.map((part) => part.restart('SIGKILL')))
  }
  const isEnded = async () => (await ask('GET', path)).body.state === 'ended'
  await eventually('the file is applied', isEnded)
  t.ok(await stage.settled([companyId]))
  t.equal(applied(await partsOf(path)), PARTS)
  await stage.withDatabase(async (db) => {
    const { rows: counted } = await sql`
      select count(*) filter (where type = 'EmployeeDeactivated')::integer as deactivated,
        count(*) filter (where type = 'ApiCallCompleted')::integer as calls,
        count(*) filter (where type in ('EmployeeUpdated', 'ApiCallFailed'))::integer as others
      from events where company_id = ${toUuid(companyId)}`.execute(db)
    t.strictSame(counted, [{ deactivated: missing, calls: 2 * PARTS, others: 0 }])
  })
})
