import pg from 'pg'
import t from 'tap'
import { quarterOf } from '../../src/admission/budget.ts'
import { eventually } from '../support/eventually.ts'
import { collectRoutes } from '../support/http/registered-routes.ts'
import { makeNeighbor } from '../support/postgres/machine-pool.ts'
import { send, startService } from '../support/service.ts'

/* No company takes the connections of others by reading, on any route. */

const routes = collectRoutes()
const service = await startService(t)
const SHARE = quarterOf(service.config.POOL_SIZE)
const { key, admin } = service.company
const other = await makeNeighbor(service, 'Other')

/** Every route that reads data of the caller's company, except streams, which have limits of their own. */
const READS = routes.filter(
  ({ method, url }) => method === 'GET' && /^\/(?:v1|admin\/v1|audit\/v1)\//.test(url) && !url.endsWith('/stream'),
)

const inUse = () => service.pool.totalCount - service.pool.idleCount
const read = (url: string) => {
  const path = url.replaceAll(/:\w+/g, 'x')
  const headers = url.startsWith('/v1/') ? {} : { authorization: `Bearer ${admin.token}` }
  return send(service.address, 'GET', path, { key: url.startsWith('/v1/') ? key : null, headers })
}

/** Locks the list of entries, as a slow statement would, until the returned function is called. */
async function holdEntries(): Promise<() => Promise<void>> {
  const holder = new pg.Client({ connectionString: service.urls.superUrl })
  await holder.connect()
  await holder.query('begin')
  await holder.query('lock table bulk_user_logs_v1.entries in access exclusive mode')
  return () => holder.end()
}

await t.test(
  'reads of a company use a quarter of the connections at most; further ones wait without one',
  async (t) => {
    const release = await holdEntries()
    const slow = Array.from({ length: 60 }, () => read('/admin/v1/bulk-user-logs'))
    await eventually('the share is in use', async () => inUse() === SHARE)
    t.ok(READS.length > 20, `${READS.length} routes`)
    const further = READS.map(async ({ url }) => ({ url, ...(await read(url)) }))
    for (let neighbor = 0; neighbor < 20; neighbor += 1) {
      const headers = { authorization: `Bearer ${other.admin.token}` }
      const { status } = await send(service.address, 'GET', '/admin/v1/api-keys', { key: null, headers })
      t.equal(status, 200, 'another company is answered')
    }
    t.ok(inUse() <= 2 * SHARE, `${inUse()} connections are in use, those of heavy reads among them`)
    t.equal(service.pool.waitingCount, 0, 'nobody waits for a connection')
    await release()
    for (const { status } of await Promise.all(slow)) t.equal(status, 200)
    for (const { url, status } of await Promise.all(further)) t.ok(status < 500, `${url} got ${status}`)
  },
)
