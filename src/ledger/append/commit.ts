import { channel } from 'node:diagnostics_channel'
import type { ClientBase } from 'pg'
import type { WriteCall } from '#domain/calls/commands'
import { breaksConnection } from '#postgres/database-errors'
import { BEGIN, pipeline } from '#postgres/pipeline'
import { holdCompany, type WhenLocked } from '#postgres/pool'
import type { QueryMore } from './company-state.ts'
import { decideNext, type AddedCall, type Committed, type DecideOptions } from './decide-next.ts'
import type { EmployeeCache } from './employee-cache.ts'
import { loadCompanies, loadRows } from './load-companies.ts'
import type { StoredCall } from './recent-events.ts'
import { UnknownOutcomeError } from './settle-outcome.ts'
import * as statements from './statements.ts'
import { writeAdded } from './write-added.ts'

const decidedChannel = channel('employee-ledger.append.decided')

interface CommitTogetherOptions extends DecideOptions {
  whenLocked: WhenLocked
  cache: EmployeeCache
  onStored?: ((calls: StoredCall[]) => void) | undefined
  /** How many companies the calls may be of. If it is 1, the company may be moved to another machine. */
  companiesTogether?: number | undefined
}

/**
 * Decides and appends calls of any number of companies in one transaction. Each call sees the changes of those before
 * it. With `skip locked`, a company whose head another transaction holds is left out, and its calls get `held`. Calls
 * `onStored` with what was appended, once it is known to be committed. Throws if nothing was committed, and
 * UnknownOutcomeError if that cannot be known.
 */
export async function commitTogether(
  client: ClientBase,
  calls: WriteCall[],
  { whenLocked, cache, onStored, companiesTogether, ...deciding }: CommitTogetherOptions,
): Promise<(Committed | 'held')[]> {
  const companyIds = [...new Set(calls.map(({ companyId }) => companyId))]
  const [, , heads, rows, now] = await pipeline(client, (pipe) =>
    Promise.all([
      pipe.query(BEGIN),
      companiesTogether === 1 ? pipe.query(holdCompany(companyIds[0]!)) : null,
      statements.lockHeads(pipe, companyIds, whenLocked),
      loadRows(pipe, calls, { cache, unchecked: deciding.unchecked, whenLocked }),
      // After the rows that may have to be waited for, because the time is that of the decision.
      statements.readClock(pipe),
    ]),
  )
  try {
    if (heads.length === 0) {
      await client.query('rollback')
      return calls.map(() => 'held')
    }
    const query: QueryMore = (send) => pipeline(client, send)
    const locked = new Set(heads.map(({ companyId }) => companyId))
    const lockedCalls = calls.filter(({ companyId }) => locked.has(companyId))
    const companies = await loadCompanies(query, heads, lockedCalls, rows, { cache, whenLocked, now })
    const added: AddedCall[] = []
    const results: (Committed | 'held')[] = []
    for (const call of calls) {
      const company = companies.get(call.companyId)
      const decided = company && (await decideNext(query, company, call, deciding))
      if (decided?.added) added.push(decided.added)
      results.push(decided?.committed ?? 'held')
    }
    decidedChannel.publish(calls)
    const stored = await writeAdded(client, companies, added, results)
    onStored?.(stored)
    for (const before of heads) {
      const company = companies.get(before.companyId)
      if (company) cache.keep(before.companyId, { before, after: company.head }, company.employees.all())
    }
    return results
  } catch (error) {
    // On a connection that does not answer, it would wait as long again.
    const canRollBack = !(error instanceof UnknownOutcomeError) && !breaksConnection(error)
    if (canRollBack) await client.query('rollback').catch(() => undefined)
    throw error
  }
}
