import t from 'tap'
import { ageFinding, checkServer } from '../../src/cli/doctor/check-server.ts'
import { asSuperuser } from '../support/postgres/as-superuser.ts'
import { startService } from '../support/service.ts'

const service = await startService(t)
const { superUrl, name } = service.urls

await t.test('the least limit of connections counts: of the server, the role, or the database', async (t) => {
  await asSuperuser(superUrl, `alter database ${name} connection limit 30`)
  t.teardown(() => asSuperuser(superUrl, `alter database ${name} connection limit -1`))
  const of = async () =>
    (await checkServer(service.pool, { api: 20, worker: 20 })).find(({ check }) => check === 'connections')
  t.match(await of(), {
    level: 'warn',
    found: /; the database allows 30$/,
    advice: /^run as the owner: alter database/,
  })
  await asSuperuser(superUrl, `alter database ${name} connection limit -1`)
  t.match(await of(), { level: 'ok' })
})

await t.test('transaction ids that no vacuum freezes are told before PostgreSQL refuses writes', async (t) => {
  t.match(ageFinding(200_000_000), { level: 'ok' })
  t.match(ageFinding(1_100_000_000), { level: 'warn', advice: /vacuum freeze$/ })
  t.match(ageFinding(1_700_000_000), { level: 'fail', found: /1700 million .* refuses writes/ })
})
