import { PROJECTIONS } from '../../../projections/index.ts'
import type { Projection } from '../../../projections/projection.ts'
import { StartupError } from '../../postgres/startup-error.ts'
import { readStanding } from '../../ledger/read/read-standings.ts'
import { unpark } from '../../workers/checkpoints.ts'
import { pruneVersions } from '../../workers/prune.ts'
import { print } from '../terminal/print.ts'
import { withMaintenance, withStore } from '../terminal/with-store.ts'

/** Finds a projection by name. Throws a StartupError that lists the known names. */
export function findProjection(name: string): Projection {
  const projection = PROJECTIONS.find((candidate) => candidate.name === name)
  if (projection) return projection
  throw new StartupError(
    `there is no projection ${name}; choose one of: ${PROJECTIONS.map((candidate) => candidate.name).join(', ')}`,
  )
}

/** `projections list`: shows for each projection how many companies lag, which are parked and why, and rebuilds. */
export async function listProjections(options: { json?: boolean }) {
  const rows = await withStore(({ store: { pool } }) =>
    Promise.all(PROJECTIONS.map((projection) => readStanding(pool, projection))),
  )
  print(
    rows.map((row) => ({ ...row })),
    options.json,
  )
}

/** `projections resume`: unparks a company; the next sweep continues from its checkpoint. */
export async function resumeProjection(name: string, { company, json }: { company: string; json?: boolean }) {
  const projection = findProjection(name)
  const resumed = await withStore(({ store: { db } }) => unpark(db, projection, company))
  if (!resumed) throw new StartupError(`${company} is not parked for ${name}`)
  if (json) print({ projection: name, company_id: company, resumed: true }, json)
  else process.stdout.write(`${company} resumes with the next sweep\n`)
}

/** `projections prune`: drops the tables of older versions. */
export async function pruneProjections(options: { json?: boolean }) {
  const pruned = await withMaintenance(async ({ db }) => {
    const each = []
    for (const projection of PROJECTIONS) for (const pruned of await pruneVersions(db, projection)) each.push(pruned)
    return each
  })
  const rows = pruned.map(({ projection, version, isDropped }) => ({ projection, version, dropped: isDropped }))
  if (options.json) print(rows, true)
  else if (rows.length === 0) process.stdout.write('there are no tables to drop\n')
  else
    for (const row of rows)
      process.stdout.write(
        `${row.projection} version ${row.version}: ${row.dropped ? 'dropped' : 'still in use; try again later'}\n`,
      )
  if (rows.some(({ dropped }) => !dropped)) process.exitCode = 1
}
