import type { OpenedMaintenance } from '#bootstrap/store'
import type { Projection } from '#projections/projection'
import { StartupError } from '#postgres/startup-error'
import { UnfoldableError } from '#workers/project'
import { rebuild, RebuildError } from '#workers/rebuild'
import { rebuildCompany } from '#workers/scratch'
import { interruption } from '../terminal/interruption.ts'
import { say } from '../terminal/print.ts'
import { showProgress } from '../terminal/progress.ts'
import { requireHead, withMaintenance } from '../terminal/with-store.ts'
import { findProjection } from './projections.ts'

interface RebuildFlags {
  company?: string
  restart?: boolean
}

/** `projections rebuild`: rebuilds all companies in new tables and switches to them, or one company in place. */
export async function rebuildProjection(name: string, flags: RebuildFlags) {
  const projection = findProjection(name)
  if (flags.company !== undefined && flags.restart) throw new StartupError('--restart cannot be used with --company')
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

function formatStuck({ name }: Projection, stuck: { companyId: string; reason: string }[]): string {
  const listed = stuck.slice(0, MAX_LISTED).map(({ companyId, reason }) => `${companyId}: ${reason}`)
  if (stuck.length > listed.length) listed.push(`and ${stuck.length - listed.length} more`)
  const all = stuck.length === 1 ? 'one company' : `${stuck.length} companies`
  return `did not switch to the rebuilt ${name}: the events of ${all} cannot be folded. ${listed.join('; ')}. Run the command again to continue`
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
async function showRebuild<Result>(
  { name }: Projection,
  howItEnds: string,
  run: (hooks: Hooks) => Promise<Result>,
): Promise<Result> {
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

function toStartupError(error: unknown): unknown {
  const isPlain = error instanceof RebuildError || error instanceof UnfoldableError
  return isPlain ? new StartupError(error.message, { cause: error }) : error
}
