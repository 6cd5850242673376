import type { Request } from '../load/http-client.ts'
import { expectStatus } from '../load/http-client.ts'
import type { Work } from '../load/peer.ts'
import type { Call } from '../load/run-calls.ts'
import { runCalls, assertNoFailures } from '../load/run-calls.ts'
import { makeWriteRequest } from '../load/tenants.ts'
import { forgetDigests, NIGHTS_BEFORE } from '../peers/ours-peer.ts'
import { tenantOf, type Version } from './version.ts'

/** A kind of call that two versions are compared by. */
export interface Kind {
  name: string
  callers: number
  /** How many calls a full measurement makes. */
  calls: number
  /** Without employees in memory, as for a company that comes once a night. */
  isCold: boolean
  /** Makes calls, including their bodies. */
  prepare(version: Version, count: number): Call[]
  /** Brings a version into the state in which the kind is measured, once. */
  begin?(version: Version): Promise<void>
  /** The calls that can be measured at once, and what has to happen before that each time. */
  inSteps?: { calls(version: Version): number; before(version: Version): Promise<void> }
}

const BULK_CALLS = 60

const HOT: Kind[] = [
  ...(['single-create', 'single-patch'] as const).flatMap((work) => [kindOf(work, 32, 3_000), kindOf(work, 1, 600)]),
  bulk('bulk-create'),
  bulk('bulk-patch'),
  bulk('nightly-sync'),
  bulk('bulk-patch-unchanged'),
  kindOf('verify', 32, 6_000),
  readOf('one employee', (version, at) => {
    const { stock, credentials } = tenantOf(version.ours)
    return { path: `/v1/employees/${stock[at % stock.length]!.id}`, headers: credentials }
  }),
  readOf('employees', ({ ours }) => ({ path: '/v1/employees?limit=50', headers: tenantOf(ours).credentials })),
  readOf('log', ({ ours }) => ({
    path: '/admin/v1/bulk-user-logs?limit=50',
    headers: { authorization: `Bearer ${tenantOf(ours).adminToken}` },
  })),
]

const COLD: Kind[] = [
  afterNights(bulk('bulk-patch')),
  afterNights(bulk('nightly-sync')),
  afterNights(bulk('bulk-patch-unchanged')),
  {
    ...bulk('bulk-patch-unchanged'),
    name: 'bulk-patch-unchanged, first time',
    isCold: true,
    prepare: prepareOneOffs,
    // Each employee has changed since a record changed nothing.
    inSteps: { calls: countSlices, before: (version) => runAll(version, 'bulk-patch') },
  },
]

export const KINDS: readonly Kind[] = [...HOT, ...COLD]

function bulk(work: Work): Kind {
  return kindOf(work, 4, BULK_CALLS)
}

function kindOf(work: Work, callers: number, calls: number): Kind {
  const prepare = (version: Version, count: number) => version.ours.prepare({ work, companies: 1 }, count)
  return { name: work, callers, calls, isCold: false, prepare }
}

function readOf(name: string, ask: (version: Version, at: number) => Pick<Request, 'path' | 'headers'>): Kind {
  const prepare = (version: Version, count: number) =>
    Array.from({ length: count }, (_, at): Call => {
      const request: Request = { method: 'GET', ...ask(version, at) }
      return async () => void (await expectStatus(version.ours.client, request, 200))
    })
  return { name: `read ${name}`, callers: 8, calls: 1_500, isCold: false, prepare }
}

/** The kind in a company that has sent the same for some nights. */
function afterNights(kind: Kind): Kind {
  return {
    ...kind,
    isCold: true,
    async begin(version) {
      await forgetDigests(version.urls)
      for (let night = 0; night < NIGHTS_BEFORE; night += 1) await run(kind.prepare(version, countSlices(version)))
    },
  }
}

/** What no patch of the benchmark changes. */
const LASTING = ['first_name', 'last_name', 'employee_number', 'department', 'phone', 'start_date'] as const

let oneOffs = 0

/** Patches that change nothing, and that nobody has sent before: of other attributes each time. */
function prepareOneOffs({ ours, records }: Version, count: number): Call[] {
  const tenant = tenantOf(ours)
  oneOffs += 1
  const chosen = 1 + (oneOffs % (2 ** LASTING.length - 1))
  const names = LASTING.filter((_, at) => (chosen >> at) % 2 === 1)
  return Array.from({ length: count }, (_, at): Call => {
    const employees = tenant.stock
      .slice(at * records, (at + 1) * records)
      .map((employee) => ({ id: employee.id, ...Object.fromEntries(names.map((name) => [name, employee[name]])) }))
    const request = makeWriteRequest(tenant, 'PATCH', '/v1/employees', { employees })
    return async () => void (await ours.send({ request, status: 200, tenant }))
  })
}

/** How many bulk calls touch each employee of the stock once. */
function countSlices({ ours, records }: Version): number {
  return tenantOf(ours).stock.length / records
}

/** Loads the employees of the stock into memory, where they stay for a minute. */
export async function loadStock(version: Version): Promise<void> {
  await runAll(version, 'bulk-patch')
}

async function runAll(version: Version, work: Work): Promise<void> {
  await run(version.ours.prepare({ work, companies: 1 }, countSlices(version)))
}

async function run(calls: Call[]): Promise<void> {
  assertNoFailures('preparing', await runCalls(calls, 1))
}
