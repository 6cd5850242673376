import { sql } from 'kysely'
import { PROJECTIONS } from '../../projections/index.ts'
import { StartupError } from '../database/startup-error.ts'
import { fromUuid } from '../domain/ids.ts'
import { unpark } from '../workers/checkpoints.ts'
import { print } from './print.ts'
import { withStore } from './with-store.ts'

/** `projections list`: for each projection how many companies lag, and which are parked and why. */
export async function listProjections(options: { json?: boolean }) {
  const rows = await withStore(({ store: { db } }) => Promise.all(PROJECTIONS.map((projection) => describe(db, projection))))
  print(rows, options.json)
}

type Db = Parameters<Parameters<typeof withStore>[0]>[0]['store']['db']

async function describe(db: Db, { name, version }: (typeof PROJECTIONS)[number]) {
  const { rows } = await sql<{ companies: number; lagging: number; events_behind: number }>`
    select count(*)::integer as companies, count(*) filter (where h.position > coalesce(c.position, 0))::integer as lagging,
      coalesce(sum(h.position - coalesce(c.position, 0)), 0)::bigint as events_behind
    from heads h left join checkpoints c
      on c.company_id = h.company_id and c.projection = ${name} and c.version = ${version}`.execute(db)
  const parked = await db
    .selectFrom('checkpoints')
    .select(['company_id', 'position', 'parked_at', 'error'])
    .where('projection', '=', name)
    .where('version', '=', version)
    .where('parked_at', 'is not', null)
    .execute()
  const shown = parked.map((row) => ({ ...row, company_id: fromUuid('com', row.company_id) }))
  return { projection: name, version, ...rows[0]!, parked: shown }
}

/** `projections resume`: a parked company goes on where its checkpoint stands, with the next sweep. */
export async function resumeProjection(name: string, { company }: { company: string }) {
  const projection = PROJECTIONS.find((known) => known.name === name)
  if (!projection) {
    throw new StartupError(`there is no projection ${name}; there are ${PROJECTIONS.map((known) => known.name).join(', ')}`)
  }
  const resumed = await withStore(({ store: { db } }) => unpark(db, projection, company))
  if (!resumed) throw new StartupError(`${company} is not parked for ${name}`)
  process.stdout.write(`${company} goes on with the next sweep\n`)
}
