import t from 'tap'
import { toUuid } from '../../src/domain/ids.ts'
import { createEmployeeCache } from '../../src/ledger/append/employee-cache.ts'
import type { LaneOptions } from '../../src/ledger/append/lanes.ts'
import { createLanes } from '../../src/ledger/append/lanes.ts'
import { SHARING } from '../support/postgres/citus-url.ts'
import { lockIsAwaited } from '../support/postgres/lock-awaited.ts'
import type { TestCompany } from '../support/service.ts'
import { employee, startService } from '../support/service.ts'
import { createCall } from '../support/ledger/calls.ts'
import { watchCommits } from '../support/ledger/watched-commits.ts'

/* Companies take turns with the transactions they share. Waiting is counted in transactions. */

const service = await startService(t)
const pool = service.open({ name: 'test appends', max: 8 })
t.teardown(() => pool.end())
const BOUNDS = {
  cache: createEmployeeCache(0),
  lanes: 1,
  maxRecordsPerCommit: 500,
  maxWaiting: 8_000,
  maxRecordsWaiting: 50_000,
  maxWaitMs: 60_000,
}

function openWatchedLanes(bounds: Partial<LaneOptions> = {}) {
  const watch = watchCommits()
  const callbacks = {
    onCommitted: () => undefined,
    onUnstorable: () => undefined,
    onBegin: watch.tracing.traceTransaction,
  }
  const lanes = watch.tracing.traceLanes(createLanes({ pool, ...BOUNDS, ...callbacks, ...bounds }))
  const create = async (company: TestCompany, records: unknown[] = [employee()]) => {
    const { answer, position } = await lanes.append(createCall(company, records))
    return { status: answer!.status, position: position! }
  }
  return { watch, create }
}

/** Blocks a company's next transaction by inserting its e-mail address, until the returned function is called. */
async function block({ id }: TestCompany, email: string): Promise<() => Promise<void>> {
  const holder = await service.pool.connect()
  await holder.query('begin')
  const statement = `insert into employee_directory (company_id, employee_id, email) values ($1, gen_random_uuid(), $2)`
  await holder.query(statement, [toUuid(id), email])
  return async () => {
    await holder.query('rollback')
    holder.release()
  }
}

await t.test(
  "a company's only call joins the next commit, although another company has 1,000 calls waiting",
  SHARING,
  async (t) => {
    const { watch, create } = openWatchedLanes()
    const [busy, free] = [await service.makeCompany('Busy'), await service.makeCompany('Free')]
    const unblock = await block(busy, 'held@example.com')
    const first = create(busy, [employee({ email: 'held@example.com' })])
    await lockIsAwaited(service, 'employee_directory')
    const many = Array.from({ length: 1_000 }, () => create(busy))
    const one = create(free)
    await unblock()
    t.equal((await one).status, 201)
    t.strictSame(watch.waitedFor(free.id), [0])
    const answers = await Promise.all([first, ...many])
    t.strictSame(new Set(answers.map(({ status }) => status)), new Set([201]))
    const positions = answers.map(({ position }) => position)
    t.strictSame(
      positions,
      positions.toSorted((a, b) => a - b),
      "one company's calls stay in order",
    )
  },
)

await t.test(
  "large calls take turns too: a company's call waits for one of another's, not for all",
  SHARING,
  async (t) => {
    const { watch, create } = openWatchedLanes()
    const [busy, free] = [await service.makeCompany('Busy with large calls'), await service.makeCompany('Free')]
    const large = (first: object = {}) => [employee(first as never), ...Array.from({ length: 39 }, () => employee())]
    const unblock = await block(busy, 'large@example.com')
    const first = create(busy, large({ email: 'large@example.com' }))
    await lockIsAwaited(service, 'employee_directory')
    const many = Array.from({ length: 50 }, () => create(busy, large()))
    const one = create(free, large())
    await unblock()
    t.equal((await one).status, 201)
    t.ok(watch.waitedFor(free.id)[0]! <= 1, `it waited for ${watch.waitedFor(free.id)[0]}`)
    t.strictSame(new Set((await Promise.all([first, ...many])).map(({ status }) => status)), new Set([201]))
  },
)

await t.test(
  'a company gets at most a quarter of the waiting calls, and another one finds room',
  SHARING,
  async (t) => {
    const { watch, create } = openWatchedLanes({ maxWaiting: 40, maxRecordsWaiting: 40 })
    const [busy, free] = [await service.makeCompany('Busy in a small room'), await service.makeCompany('Free')]
    const unblock = await block(busy, 'small@example.com')
    const first = create(busy, [employee({ email: 'small@example.com' })])
    await lockIsAwaited(service, 'employee_directory')
    const many = Array.from({ length: 60 }, () =>
      create(busy).then(
        ({ status }) => status,
        (error: Error) => error.name,
      ),
    )
    const others = Array.from({ length: 10 }, () => create(free))
    await unblock()
    t.strictSame(new Set((await Promise.all(others)).map(({ status }) => status)), new Set([201]))
    t.strictSame(new Set(watch.waitedFor(free.id)), new Set([0]))
    t.equal((await first).status, 201)
    const answers = await Promise.all(many)
    t.equal(answers.filter((answer) => answer === 201).length, 19)
    t.equal(answers.filter((answer) => answer === 'NoTurnError').length, 41)
  },
)
