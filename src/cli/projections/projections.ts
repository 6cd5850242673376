import { PROJECTIONS } from '#projections/index'
import type { Projection } from '#projections/projection'
import { StartupError } from '#postgres/startup-error'
import { readStanding } from '#ledger/read/read-standings'
import { unpark } from '#workers/checkpoints'
import { pruneVersions } from '#workers/prune'
import { say } from '../terminal/print.ts'
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
export async function listProjections() {
  return withStore(({ store: { pool } }) =>
    Promise.all(PROJECTIONS.map((projection) => readStanding(pool, projection))),
  )
}

/** `projections resume`: unparks a company; the next sweep continues from its checkpoint. */
export async function resumeProjection(name: string, { company }: { company: string }) {
  const projection = findProjection(name)
  const resumed = await withStore(({ store: { db } }) => unpark(db, projection, company))
  if (!resumed) throw new StartupError(`${company} is not parked for ${name}`)
  const result = { projection: name, company_id: company, resumed: true }
  return say(result, `${company} resumes with the next sweep\n`)
}

/** `projections prune`: drops the tables of older versions. */
export async function pruneProjections() {
  const pruned = await withMaintenance(async ({ db }) => {
    const each = []
    for (const projection of PROJECTIONS) for (const pruned of await pruneVersions(db, projection)) each.push(pruned)
    return each
  })
  const rows = pruned.map(({ projection, version, isDropped }) => ({ projection, version, dropped: isDropped }))
  if (rows.some(({ dropped }) => !dropped)) process.exitCode = 1
  const lines = rows.map(
    ({ projection, version, dropped }) =>
      `${projection} version ${version}: ${dropped ? 'dropped' : 'still in use; try again later'}\n`,
  )
  return say(rows, rows.length === 0 ? 'there are no tables to drop\n' : lines.join(''))
}
