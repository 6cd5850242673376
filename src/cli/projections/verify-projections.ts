import { PROJECTIONS } from '../../../projections/index.ts'
import { verifyProjection, type CompanyFault, type Verification } from '../../workers/verify.ts'
import { interruption } from '../terminal/interruption.ts'
import { print } from '../terminal/print.ts'
import { eventProgress } from '../terminal/progress.ts'
import { requireHead } from '../terminal/require-head.ts'
import { findProjection } from './projections.ts'
import { withMaintenance } from '../terminal/with-store.ts'

interface VerifyFlags {
  company?: string
  showValues?: boolean
  json?: boolean
}

/** `projections verify`: exits with 0 when the live tables match the ledger, 1 when they differ. */
export async function verifyProjections(name: string | undefined, { company, showValues, json }: VerifyFlags) {
  const projections = name === undefined ? PROJECTIONS : [findProjection(name)]
  const results = await withMaintenance(async ({ db }) => {
    if (company !== undefined) await requireHead(db, company)
    const each = []
    for (const projection of projections) {
      const progress = eventProgress(`verifying ${projection.name}`)
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
  if (json)
    print(
      results.map(({ faults, isComplete, ...rest }) => ({
        ...rest,
        equal: faults.length === 0,
        complete: isComplete,
        faults: faults.map(describeFault),
      })),
      true,
    )
  else for (const { projection, ...result } of results) printResult(projection, result)
  if (results.some(({ faults }) => faults.length > 0)) process.exitCode = 1
}

function describeFault({ companyId, unfoldable, ...rest }: CompanyFault) {
  return { company_id: companyId, unfoldable: unfoldable ?? null, ...rest }
}

function printResult(projection: string, { companies, faults, isComplete }: Verification): void {
  if (faults.length === 0) {
    process.stdout.write(
      `${projection}: matches the ledger in ${companies} ${companies === 1 ? 'company' : 'companies'}\n`,
    )
    return
  }
  for (const { companyId, unfoldable, rows, differences } of faults) {
    const what =
      unfoldable === undefined
        ? `${rows} ${rows === 1 ? 'row differs' : 'rows differ'}`
        : `cannot be folded: ${unfoldable}`
    process.stdout.write(`${projection}: ${companyId}: ${what}\n`)
    for (const { table, kind, key, columns, values } of differences) {
      const parts = [`  ${table} ${JSON.stringify(key)} is ${kind}`]
      if (columns.length > 0) parts.push(` in ${columns.join(', ')}`)
      if (values) parts.push(`: ${JSON.stringify(values)}`)
      process.stdout.write(`${parts.join('')}\n`)
    }
  }
  if (!isComplete) process.stdout.write(`${projection}: stopped after ${faults.length} companies with differences\n`)
}
