import type { LedgerDb } from '../../../src/ledger/tables.ts'
import type { Provisioned } from '../providers.ts'
import { eventsOf, peopleOf } from './administrator-faults.ts'
import type { Finding } from './finding.ts'

/* What the oracle expects of identity providers: each user exists once and is as the answers said, and came and went that often. */

/** The events that a user's comings and goings become. */
const TIMES = {
  created: 'EmployeeCreated',
  deactivated: 'EmployeeDeactivated',
  reactivated: 'EmployeeReactivated',
  deleted: 'EmployeeDeprovisioned',
} as const

export async function providerFaults(db: LedgerDb, { companyId, users }: Provisioned): Promise<Finding[]> {
  const events = await eventsOf(db, companyId)
  const byName = Map.groupBy(peopleOf(events).values(), ({ user_name: name }) => name!)
  const found: Finding[] = []
  for (const [name, { id, title, isActive, isDeleted, times }] of users) {
    const own = byName.get(name) ?? []
    if (own.length !== 1)
      found.push({ kind: own.length === 0 ? 'lost user' : 'doubled user', text: `${name} exists ${own.length} times` })
    for (const person of own) {
      const told = [person.id, person.job_title, person.status, person.deprovisioned_at !== null].join(', ')
      const wanted = [id, title, isActive ? 'active' : 'inactive', isDeleted].join(', ')
      if (told !== wanted) found.push({ kind: 'lost user', text: `${name} is ${told}, and was answered as ${wanted}` })
    }
    for (const [what, type] of Object.entries(TIMES)) {
      const stored = events.filter((event) => event.stream === id && event.type === type).length
      const wanted = times[what as keyof typeof TIMES]
      if (stored !== wanted)
        found.push({
          kind: stored < wanted ? 'lost user' : 'doubled user',
          text: `${name} was ${what} ${stored} times, and was answered so ${wanted} times`,
        })
    }
  }
  for (const name of byName.keys())
    if (!users.has(name)) found.push({ kind: 'doubled user', text: `no provider was told of ${name}` })
  return found
}
