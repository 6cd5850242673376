import { PROJECTIONS } from '#projections/index'
import type { Projection } from '#projections/projection'
import { StartupError } from '#postgres/startup-error'
import { isComplete } from '#ledger/read/read-progress'
import { readStanding } from '#ledger/read/read-standings'
import { unpark } from '#workers/checkpoints'
import { say } from '#cli/terminal/print'
import { withMaintenance, withStore, requireHead } from '#cli/terminal/with-store'
import type { OpenedMaintenance } from '#bootstrap/store'
import { UnfoldableError } from '#workers/project'
import { rebuild, RebuildError, pruneVersions } from '#workers/rebuild'
import { rebuildCompany } from '#workers/scratch'
import { interruption } from '#cli/terminal/interruption'
import { showProgress } from '#cli/terminal/progress'
import { verifyProjection, type CompanyFault, type Verification } from '#workers/verify'

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
    for (const projection of PROJECTIONS)
      if (!(await isComplete(db, projection)))
        throw new StartupError(
          `version ${projection.version} of ${projection.name} is still being filled: nothing is dropped before ` +
            '`projections list` shows it complete',
        )
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

interface RebuildFlags {
  company?: string
  restart?: boolean
}

/** `projections rebuild`: rebuilds all companies in new tables and switches to them, or one company in place. */
export async function rebuildProjection(name: string, flags: RebuildFlags) {
  const projection = findProjection(name)
  return withMaintenance((maintenance) =>
    flags.company === undefined
      ? rebuildAll(projection, maintenance, flags)
      : rebuildOne(projection, maintenance, { company: flags.company, ...flags }),
  )
}

async function rebuildAll(projection: Projection, { db, handOver }: OpenedMaintenance, { restart }: RebuildFlags) {
  const howItEnds = 'stopping after this batch; run the command again to continue'
  const outcome = await showRebuild(projection, howItEnds, ({ onBegun: begin, ...hooks }) => {
    const onBegun = (events: number, isResumed: boolean) => {
      if (isResumed) process.stderr.write('continuing an interrupted rebuild; use --restart to discard it\n')
      begin(events)
    }
    return rebuild(projection, { db, handOver, restart: restart ?? false, onBegun, ...hooks })
  })
  if (!outcome.isSwitched) throw new StartupError(formatStuck(projection, outcome.stuck))
  const { areOldDropped } = outcome
  if (!areOldDropped)
    process.stderr.write('the old tables are still in use; drop them later with `projections prune`\n')
  const { name, version } = projection
  const result = { projection: name, version, switched: true, old_tables_dropped: areOldDropped }
  return say(result, `rebuilt ${name} and switched to it\n`)
}

const MAX_LISTED = 10

function formatStuck({ name }: Projection, stuck: { companyId: string; reason: string }[]) {
  const listed = stuck.slice(0, MAX_LISTED).map(({ companyId, reason }) => `${companyId}: ${reason}`)
  if (stuck.length > listed.length) listed.push(`and ${stuck.length - listed.length} more`)
  const all = stuck.length === 1 ? 'one company' : `${stuck.length} companies`
  return (
    `did not switch to the rebuilt ${name}: the events of ${all} cannot be folded. ` +
    `${listed.join('; ')}. Run the command again to continue`
  )
}

async function rebuildOne(
  projection: Projection,
  { db }: OpenedMaintenance,
  { company }: RebuildFlags & { company: string },
) {
  await requireHead(db, company)
  const howItEnds = 'stopping; the company is unchanged, run the command again to start over'
  const rows = await showRebuild(projection, howItEnds, (hooks) => rebuildCompany(db, projection, company, hooks))
  const { name, version } = projection
  const result = { projection: name, version, company_id: company, rows_changed: rows }
  return say(result, `rebuilt ${company}: corrected ${rows} ${rows === 1 ? 'row' : 'rows'}\n`)
}

interface Hooks {
  signal: AbortSignal
  onBegun(events: number): void
  onFolded(events: number): void
}

/** Runs a rebuild and shows its progress. On an interruption, it says how the rebuild ends. */
async function showRebuild<Result>({ name }: Projection, howItEnds: string, run: (hooks: Hooks) => Promise<Result>) {
  const progress = showProgress(`rebuilding ${name}, events`)
  const sayIt = () => process.stderr.write(`\n${howItEnds}\n`)
  interruption.addEventListener('abort', sayIt, { once: true })
  try {
    return await run({ signal: interruption, onBegun: progress.begin, onFolded: progress.advance })
  } catch (error) {
    throw toStartupError(error)
  } finally {
    interruption.removeEventListener('abort', sayIt)
    progress.finish()
  }
}

function toStartupError(error: unknown) {
  const isPlain = error instanceof RebuildError || error instanceof UnfoldableError
  return isPlain ? new StartupError(error.message, { cause: error }) : error
}

interface VerifyFlags {
  company?: string
  showValues?: boolean
}

/** `projections verify`: exits with 0 when the live tables match the ledger, 1 when they differ. */
export async function verifyProjections(name: string | undefined, { company, showValues }: VerifyFlags) {
  const projections = name === undefined ? PROJECTIONS : [findProjection(name)]
  const results = await withMaintenance(async ({ db }) => {
    if (company !== undefined) await requireHead(db, company)
    const each = []
    for (const projection of projections) {
      const progress = showProgress(`verifying ${projection.name}, events`)
      const hooks = { signal: interruption, onBegun: progress.begin, onFolded: progress.advance }
      const one = company === undefined ? {} : { companyId: company }
      const verification = await verifyProjection(db, projection, {
        ...hooks,
        ...one,
        showValues: showValues ?? false,
      }).finally(progress.finish)
      each.push({ projection: projection.name, version: projection.version, ...verification })
    }
    return each
  })
  if (results.some(({ faults }) => faults.length > 0)) process.exitCode = 1
  const described = results.map(({ faults, isComplete, ...rest }) => ({
    ...rest,
    equal: faults.length === 0,
    complete: isComplete,
    faults: faults.map(describeFault),
  }))
  return say(described, results.map(({ projection, ...result }) => formatResult(projection, result)).join(''))
}

function describeFault({ companyId, unfoldable, ...rest }: CompanyFault) {
  return { company_id: companyId, unfoldable: unfoldable ?? null, ...rest }
}

function formatResult(projection: string, { companies, faults, isComplete }: Verification) {
  if (faults.length === 0)
    return `${projection}: matches the ledger in ${companies} ${companies === 1 ? 'company' : 'companies'}\n`
  const lines = []
  for (const { companyId, unfoldable, rows, differences } of faults) {
    const what =
      unfoldable === undefined
        ? `${rows} ${rows === 1 ? 'row differs' : 'rows differ'}`
        : `cannot be folded: ${unfoldable}`
    lines.push(`${projection}: ${companyId}: ${what}`)
    for (const { table, kind, key, columns, values } of differences) {
      const parts = [`  ${table} ${JSON.stringify(key)} is ${kind}`]
      if (columns.length > 0) parts.push(` in ${columns.join(', ')}`)
      if (values) parts.push(`: ${JSON.stringify(values)}`)
      lines.push(parts.join(''))
    }
  }
  if (!isComplete) lines.push(`${projection}: stopped after ${faults.length} companies with differences`)
  return `${lines.join('\n')}\n`
}
