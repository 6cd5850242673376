import { makeRequests } from '../load/http-work.ts'
import { expectStatus } from '../load/http-client.ts'
import type { Ours, OurTenant } from '../peers/ours-peer.ts'
import type { Call } from '../load/run-calls.ts'
import { assertNoFailures, runCalls } from '../load/run-calls.ts'

/** Ids from the whole length of a filled ledger, to read at random. */
export interface Samples {
  employeeIds: string[]
  logIds: string[]
}

/** The share of events from bulk creations; the rest come from single patches with two events each. */
const CREATED_SHARE = 0.6
const CHUNK_EVENTS = 100_000
const BULK_CALLERS = 4
const SINGLE_CALLERS = 64

/**
 * Fills the ledger of a company to `events` events through the API, and waits until the log and the list show them. Of N
 * events, 0.6 N are employees; the log has 0.2 N entries and 0.8 N records, so N rows.
 */
export async function fillLedger(
  ours: Ours,
  companies: number,
  events: number,
  records: number,
  samples: Samples,
  onProgress: (line: string) => void,
): Promise<void> {
  const tenant = ours.tenants.get(companies)![0]!
  const positionOf = () => tenant.newest?.position ?? 0
  for (let left = events - positionOf(); left > 1; left = events - positionOf()) {
    const chunk = Math.min(left, CHUNK_EVENTS)
    const bulks = Math.floor((chunk * CREATED_SHARE) / (records + 1))
    await runAll(
      makeRequests('bulk-create', [tenant], bulks, records).map((made) => sampleCall(ours, made, samples)),
      BULK_CALLERS,
    )
    const singles = Math.floor((chunk - bulks * (records + 1)) / 2)
    await runAll(ours.prepare({ work: 'single-patch', companies }, singles), SINGLE_CALLERS)
    onProgress(`${positionOf()} events`)
  }
  await ours.visible!()
  await waitUntilListed(ours, tenant)
}

async function runAll(calls: Call[], callers: number): Promise<void> {
  if (calls.length === 0) return
  assertNoFailures('filling the ledger', await runCalls(calls, callers))
}

/** Wraps a creation so that it adds its log entry and its first employee to the samples. */
function sampleCall(ours: Ours, made: Parameters<Ours['send']>[0], samples: Samples): Call {
  return async () => {
    const { logId, text } = await ours.send(made)
    samples.logIds.push(logId!)
    samples.employeeIds.push(/"id":"(emp_[^"]+)"/.exec(text)![1]!)
  }
}

/** Waits until the list of employees has caught up with the newest call. */
async function waitUntilListed({ client }: Ours, { credentials, newest }: OurTenant): Promise<void> {
  const path = `/v1/employees?limit=1&min_position=${newest!.position}`
  // The list itself waits a few seconds before it answers 503.
  for (let status = 503; status === 503;)
    ({ status } = await client.send({ method: 'GET', path, headers: credentials }))
  await expectStatus(client, { method: 'GET', path, headers: credentials }, 200)
}
