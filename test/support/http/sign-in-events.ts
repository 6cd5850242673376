import type { EventData } from '../../../src/domain/events.ts'
import { toUuid } from '../../../src/domain/ids.ts'
import { isSignIn, streamOf } from '../ledger/company-events.ts'
import type { Service } from '../service.ts'

type SignInData = Partial<EventData['UserSignedIn'] & EventData['UserSessionsEnded'] & EventData['UserSignInFailed']>

/** What became of a user's sessions by the ledger, an event a line: its type and its data without times. */
export async function signInsOf(
  service: Service,
  { companyId, userId }: { companyId: string; userId: string },
): Promise<string[]> {
  const events = await streamOf(service, userId, companyId)
  return events.filter(isSignIn).map(({ type, data }) => {
    const { method, reason, count, attempts } = data as SignInData
    const words = [method, reason, count, JSON.stringify(attempts)]
    return [type, ...words.filter((word) => word !== undefined)].join(' ')
  })
}

/** The number of a company's events that wait for the ledger. */
export async function countUnrecorded({ pool }: Pick<Service, 'pool'>, companyId: string): Promise<number> {
  const text = 'select count(*)::integer as count from session_events where company_id = $1'
  return (await pool.query<{ count: number }>(text, [toUuid(companyId)])).rows[0]!.count
}
