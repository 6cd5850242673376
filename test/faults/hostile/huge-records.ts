import type { SeededRandom } from '../../../src/cli/demo/seeded-random.ts'
import type { Happened } from '../fault.ts'
import type { HostileCall } from './hostile-caller.ts'
import { hostileCaller } from './hostile-caller.ts'
import type { Stage } from '../stage.ts'

/** Just under the maximum size of a body. */
const BODY_BYTES = 8_000_000
const CONNECTIONS = 2
const CALLS = 8

/** Calls near the size limit, each large in another way, on two connections, and then a valid one. */
export async function hugeRecords(stage: Stage, random: SeededRandom): Promise<Happened> {
  const [company] = await stage.makeCompanies(1)
  const name = `huge-${random.below(1_000_000_000)}`
  const caller = hostileCaller(company!, name)
  const address = () => random.pick(stage.apis).address
  const first = await caller.send(address(), creation(name))
  const id = first.final?.body.employees?.[0]?.id
  const kinds = shapes(id)
  const calls = random.sample(kinds, CALLS)
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async (_, connection) => {
      for (const call of calls.filter((__, at) => at % CONNECTIONS === connection)) await caller.send(address(), call())
    }),
  )
  await caller.send(address(), fullCall(name))
  return { times: caller.operations.length, companyIds: [company!.companyId], operations: caller.operations }
}

/** The ways to be large. Each text is made when it is sent: together they would fill the memory of the test. */
function shapes(id: string | undefined): (() => HostileCall)[] {
  const create = (records: unknown[]) => ({ body: JSON.stringify({ employees: records }), records: records.length })
  const patch = (body: unknown) => ({
    method: 'PATCH' as const,
    path: `/v1/employees/${id}`,
    body: JSON.stringify(body),
    records: 1,
  })
  /** A body with so many values is not read, so its entry counts no records. */
  const unread = (records: unknown[]) => ({ ...create(records), records: 0 })
  return [
    () => unread([membersOf(BODY_BYTES / 9, (at) => at.toString(36))]),
    () => create([membersOf(250_000, (at) => at.toString(36))]),
    () => create([membersOf(100, (at) => `${at}${'n'.repeat(BODY_BYTES / 110)}`)]),
    () => create([membersOf(8, (at) => `${at}${'n'.repeat(BODY_BYTES / 9)}`)]),
    () =>
      unread(
        Array.from({ length: 80 }, () => ({
          first_name: zeros(10_000),
          last_name: zeros(10_000),
          email: zeros(10_000),
          phone: zeros(10_000),
        })),
      ),
    () => create([{ first_name: 'x'.repeat(BODY_BYTES), last_name: 'y', email: 'nobody' }]),
    () => create([{ first_name: 'A', last_name: 'B', email: 'deep@example.com', custom_attributes: nested(28) }]),
    () =>
      create(
        Array.from({ length: 1_000 }, (_, at) => ({
          ...membersOf(120, (member) => `unknown_${member}${'m'.repeat(40)}`),
          email: `${at}`,
        })),
      ),
    () => ({
      body: `{"employees":[{"custom_attributes":${'{"a":'.repeat(100_000)}0${'}'.repeat(100_000)}}]}`,
      records: 0,
    }),
    () => patch({ custom_attributes: membersOf(130_000, (at) => `attribute_${at}`) }),
    () => patch(membersOf(BODY_BYTES / 9, (at) => at.toString(36))),
  ]
}

function membersOf(count: number, name: (at: number) => string): Record<string, number> {
  return Object.fromEntries(Array.from({ length: Math.floor(count) }, (_, at) => [name(at), 0]))
}

function zeros(count: number): number[] {
  return Array<number>(count).fill(0)
}

function nested(depth: number): unknown {
  return depth === 0 ? zeros(10_000) : { level: nested(depth - 1) }
}

function creation(name: string): HostileCall {
  return { body: JSON.stringify({ employees: [person(name, 0)] }), records: 1 }
}

/** As many employees as a call may have, each as large as the body allows. */
function fullCall(name: string): HostileCall {
  const custom = Object.fromEntries(Array.from({ length: 32 }, (_, at) => [`attribute_${at}`, 'v'.repeat(200)]))
  return {
    body: JSON.stringify({
      employees: Array.from({ length: 1_000 }, (_, at) => ({ ...person(name, at + 1), custom_attributes: custom })),
    }),
    records: 1_000,
  }
}

function person(name: string, at: number) {
  return { first_name: 'Ana', last_name: name, email: `${name}-${at}@example.com` }
}
