import { PROJECTIONS } from '#projections/index'
import { verifyProjection, type CompanyFault, type Verification } from '#workers/verify'
import { interruption } from '../terminal/interruption.ts'
import { say } from '../terminal/print.ts'
import { showProgress } from '../terminal/progress.ts'
import { requireHead, withMaintenance } from '../terminal/with-store.ts'
import { findProjection } from './projections.ts'

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

function formatResult(projection: string, { companies, faults, isComplete }: Verification): string {
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
