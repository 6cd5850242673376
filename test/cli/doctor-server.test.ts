import type { Pool } from 'pg'
import t from 'tap'
import { ageFinding, checkServer } from '../../src/cli/doctor/check-server.ts'
import { openPool } from '../../src/postgres/pool.ts'
import { asSuperuser } from '../support/postgres/as-superuser.ts'
import { startService } from '../support/service.ts'

const service = await startService(t)
const { superUrl, name } = service.urls

const findConnections = async (pool: Pool) =>
  (await checkServer(pool, { api: 20, worker: 20 })).find(({ check }) => check === 'connections')

await t.test('the least limit of connections counts: of the server, the role, or the database', async (t) => {
  await asSuperuser(superUrl, `alter database ${name} connection limit 30`)
  t.teardown(() => asSuperuser(superUrl, `alter database ${name} connection limit -1`))
  t.match(await findConnections(service.pool), {
    level: 'warn',
    found: /; the database allows 30$/,
    advice: /^run as the owner: alter database/,
  })
  await asSuperuser(superUrl, `alter database ${name} connection limit -1`)
  t.match(await findConnections(service.pool), { level: 'ok' })

  const role = `limited_${name}`
  await asSuperuser(superUrl, `create role ${role} login password 'limited' connection limit 25`)
  t.teardown(() => asSuperuser(superUrl, `drop role ${role}`))
  const url = Object.assign(new URL(service.urls.serviceUrl), { username: role, password: 'limited' }).href
  const pool = openPool({ url, name: 'limited', max: 1 })
  t.teardown(() => pool.end())
  t.match(await findConnections(pool), { level: 'warn', found: /; the role allows 25$/, advice: /alter role/ })
})

await t.test('transaction ids that no vacuum freezes are told before PostgreSQL refuses writes', async (t) => {
  t.match(ageFinding(200_000_000), { level: 'ok' })
  t.match(ageFinding(1_100_000_000), { level: 'warn', advice: /vacuum freeze$/ })
  t.match(ageFinding(1_700_000_000), { level: 'fail', found: /1700 million .* refuses writes/ })
})
