import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { toUuid } from '../../../src/domain/ids.ts'
import type { Employee } from '../../../src/domain/employees/employee.ts'
import { evolveStored, isEmployeeEvent } from '../../../src/domain/employees/employee.ts'
import type { RecordedEvent } from '../../../src/domain/events.ts'
import { readEvent } from '../../../src/ledger/integrity/codec.ts'
import type { LedgerDb } from '../../../src/ledger/tables.ts'
import { runVerifier, unpack, writeFiles } from '../../support/ledger/evidence.ts'
import type { Administered } from '../administrator.ts'
import type { AcceptedEmail } from '../alerts/unreliable-mail.ts'
import { alertFaults } from './alert-faults.ts'
import type { Finding } from './finding.ts'
import { findings } from './finding.ts'

/**
 * What the oracle expects of an administrator's files: each row is applied once or refused, whoever left is deactivated
 * once, each part is one call, what was undone is as before, evidence verifies without the service, and each alert began and ended once.
 */
export async function administratorFaults(
  db: LedgerDb,
  administered: Administered,
  accepted: readonly AcceptedEmail[],
): Promise<Finding[]> {
  const events = await eventsOf(db, administered.companyId)
  return [
    ...peopleFaults(events, administered),
    ...callFaults(events, administered),
    ...(await evidenceFaults(administered)),
    ...(await alertFaults(db, administered, accepted)),
  ]
}

/** All events of a company, in order. */
export async function eventsOf(db: LedgerDb, companyId: string): Promise<RecordedEvent[]> {
  const query = db.selectFrom('events').selectAll().where('company_id', '=', toUuid(companyId))
  return (await query.orderBy('position').execute()).map(readEvent)
}

function peopleFaults(events: RecordedEvent[], { listed }: Administered): Finding[] {
  const found: Finding[] = []
  const byId = Map.groupBy(peopleOf(events).values(), ({ external_id: id }) => id!)
  for (const [id, { job, hasEmail, isActive }] of listed) {
    const own = byId.get(id) ?? []
    if (own.length !== 1)
      found.push({ kind: own.length === 0 ? 'lost row' : 'doubled row', text: `${id} exists ${own.length} times` })
    for (const { id: employeeId, job_title: title, email, status } of own) {
      const [told, wanted] = [
        [title, email === null, status].join(', '),
        [job, !hasEmail, isActive ? 'active' : 'inactive'].join(', '),
      ]
      if (told !== wanted) found.push({ kind: 'lost row', text: `${id} is ${told}, and was answered as ${wanted}` })
      const left = events.filter(({ type, stream }) => type === 'EmployeeDeactivated' && stream === employeeId).length
      if (left !== Number(!isActive))
        found.push({
          kind: 'doubled row',
          text: `${id} was deactivated ${left} times, and left ${Number(!isActive)} times`,
        })
    }
  }
  const strange = [...byId.keys()].filter((id) => !listed.has(id))
  return [
    ...found,
    ...findings('doubled row', strange.length === 0 ? [] : [`${strange.join()} was in no applied file`]),
  ]
}

/** The employees that events make, by their ids. */
export function peopleOf(events: RecordedEvent[]): Map<string, Employee> {
  const people = new Map<string, Employee>()
  for (const event of events) {
    if (!isEmployeeEvent(event)) continue
    const after = evolveStored(people.get(event.stream), event)
    if (after) people.set(event.stream, after)
  }
  return people
}

function callFaults(events: RecordedEvent[], { logIds }: Administered): Finding[] {
  // A request for an undo may be repeated: the next one finds nothing left.
  const closed = events.flatMap(({ type, call_id: id, data }) =>
    (type === 'ApiCallCompleted' || type === 'ApiCallFailed') && data?.operation !== 'undo' ? [id!] : [],
  )
  const [told, stored] = [logIds.join(), closed.join()]
  return told === stored ? [] : [{ kind: 'doubled row', text: `the parts became ${stored}, and ${told} was answered` }]
}

async function evidenceFaults({ evidence }: Administered): Promise<Finding[]> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ledger-evidence-'))
  try {
    const wrong: string[] = []
    for (const [at, archive] of evidence.entries()) {
      const { status, told } = runVerifier(writeFiles(path.join(folder, String(at)), await unpack(archive)))
      if (status !== 0) wrong.push(told)
    }
    return findings('evidence', wrong)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
