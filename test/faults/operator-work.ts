import { PROJECTIONS } from '../../projections/index.ts'
import { NoTurnError } from '../../src/admission/batcher.ts'
import { inviteCompanyUser } from '../../src/accounts/users/change-user.ts'
import { OPERATOR } from '../../src/ledger/append/append-company-events.ts'
import type { Happened, LoadUnder } from './fault.ts'
import type { Finding } from './oracle/finding.ts'
import { runProgram } from './program.ts'
import type { Stage } from './stage.ts'

/* What operators and administrators do while calls run. It must break nothing. */

/** Rebuilds both read models. */
export async function rebuildAll(stage: Stage): Promise<Happened> {
  const wrong: Finding[] = []
  for (const { name } of PROJECTIONS) {
    const code = await runProgram(stage, ['projections', 'rebuild', name])
    if (code !== 0) wrong.push({ kind: 'fault', text: `projections rebuild ${name} ended with ${code}` })
  }
  return { times: PROJECTIONS.length, wrong }
}

const USERS_AT_ONCE = 20

/** Invites many users of every company at once, while its calls append, too. */
export async function changeCompanies({ withServices }: Stage, _: unknown, load: LoadUnder): Promise<Happened> {
  const invited = await withServices((services) =>
    Promise.allSettled(
      load.companyIds.flatMap((companyId) =>
        Array.from({ length: USERS_AT_ONCE }, () =>
          retryRefused(() =>
            inviteCompanyUser(
              services,
              { companyId, actor: OPERATOR },
              { name: 'Invited', role: 'member', email: `${services.newId('usr')}@example.com` },
            ),
          ),
        ),
      ),
    ),
  )
  const wrong = invited
    .filter((one) => one.status === 'rejected')
    .map(({ reason }): Finding => ({ kind: 'fault', text: `a user was not invited: ${String(reason)}` }))
  return { times: invited.length, wrong }
}

const TRIES = 20

/** Tries again what was refused only because the machine is busy, as a client does after a 503. */
async function retryRefused<Result>(change: () => Promise<Result>): Promise<Result> {
  for (let left = TRIES; ; left -= 1) {
    try {
      return await change()
    } catch (error) {
      if (left === 0 || !(error instanceof NoTurnError)) throw error
    }
  }
}
