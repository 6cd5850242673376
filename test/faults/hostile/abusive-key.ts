import type { SeededRandom } from '../../../src/cli/demo/seeded-random.ts'
import type { Happened } from '../fault.ts'
import type { HostileCall } from './hostile-caller.ts'
import { hostileCaller } from './hostile-caller.ts'
import type { Stage } from '../stage.ts'

const MANY_ELEMENTS = 50_000
const SMALL_CALLS = 1_000
const BURSTS = 2
const WIDE_TOGETHER = 10
const CONNECTIONS_FOR_MANY = 3
const CONNECTIONS_FOR_WIDE = 2

/**
 * One company's key sends all of this at once: calls of 50,000 elements, each refused as a whole, on three
 * connections; bursts of wide, invalid records; and a thousand small calls at a time, again and again.
 */
export async function abusiveKey(stage: Stage, random: SeededRandom): Promise<Happened> {
  const [company] = await stage.makeCompanies(1)
  const caller = hostileCaller(company!, `abuse-${random.below(1_000_000_000)}`)
  const over = new AbortController()
  const address = () => random.pick(stage.apis).address
  const repeat = async (step: () => Promise<unknown>) => {
    do await step()
    while (!over.signal.aborted)
  }
  const many: HostileCall = { body: JSON.stringify(Array(MANY_ELEMENTS).fill(0)), records: MANY_ELEMENTS }
  const wide = [wideRecords(1, 20_000), wideRecords(20, 120), wideRecords(1_000, 8)]
  const sending = [
    ...Array.from({ length: CONNECTIONS_FOR_MANY }, () => repeat(() => caller.send(address(), many))),
    ...Array.from({ length: CONNECTIONS_FOR_WIDE }, () =>
      repeat(() => Promise.all(Array.from({ length: WIDE_TOGETHER }, () => caller.send(address(), random.pick(wide))))),
    ),
  ]
  for (let burst = 0; burst < BURSTS; burst += 1) {
    await Promise.all(
      Array.from({ length: SMALL_CALLS }, (_, at) => caller.send(address(), smallCall(`${burst}-${at}`))),
    )
  }
  over.abort()
  await Promise.all(sending)
  return { times: caller.operations.length, companyIds: [company!.companyId], operations: caller.operations }
}

/** Records with many unknown members. */
function wideRecords(count: number, members: number): HostileCall {
  const record = Object.fromEntries(Array.from({ length: members }, (_, at) => [`unknown_${at}`, at]))
  return { body: JSON.stringify({ employees: Array(count).fill(record) }), records: count }
}

function smallCall(name: string): HostileCall {
  return {
    body: JSON.stringify({ employees: [{ first_name: 'Ana', last_name: name, email: `${name}@example.com` }] }),
    records: 1,
  }
}
