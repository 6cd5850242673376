import type { Test } from 'tap'
import type { WriteCall } from '../../../src/domain/calls/commands.ts'
import { ClientRegister } from '../../../src/ledger/append/actor-clients.ts'
import type { Committed } from '../../../src/ledger/append/decide-next.ts'
import { commitTogether } from '../../../src/ledger/append/commit.ts'
import type { EmployeeCache } from '../../../src/ledger/append/employee-cache.ts'
import { createEmployeeCache } from '../../../src/ledger/append/employee-cache.ts'
import { UnchangedOnce } from '../../../src/ledger/append/unchanged-once.ts'
import { inCompany } from '../../../src/postgres/company-scope.ts'
import { withClient } from '../../../src/postgres/pool.ts'
import type { Service } from '../service.ts'

interface AppendOptions {
  /** Employees in memory; by default none. */
  cache?: EmployeeCache
  unchecked?: WriteCall[]
}

/** A statement that was sent, by its name, with its parameters as node-postgres sends them. */
interface SentStatement {
  name: string
  values: unknown[]
}

/** Commits calls in one transaction. `sent` collects the statements. */
export function openAppends(t: Pick<Test, 'teardown'>, service: Service) {
  const pool = service.open({ name: 'test appends', max: 1 })
  t.teardown(() => pool.end())
  const clients = new ClientRegister()
  const unchangedOnce = new UnchangedOnce()
  const sent: SentStatement[] = []
  const watched = new WeakSet<object>()
  const commit = (calls: WriteCall[], { cache = createEmployeeCache(0), unchecked = [] }: AppendOptions = {}) =>
    // On a cluster, at the machine of the first company: others can't be beside it.
    inCompany(calls[0]!.companyId, () =>
      withClient(pool, (client) => {
        const { connection } = client as unknown as { connection: Connection }
        if (!watched.has(connection)) watch(connection)
        return commitTogether(client, calls, {
          clients,
          unchangedOnce,
          whenLocked: 'wait',
          cache,
          unchecked: new Set(unchecked),
        })
      }),
    ) as Promise<Committed[]>

  function watch(connection: Connection): void {
    watched.add(connection)
    const bind = connection.bind.bind(connection)
    connection.bind = (config, ...more) => {
      const [, name] = /^pipeline (\S+)/.exec(config.statement) ?? []
      if (name !== undefined) sent.push({ name, values: config.values })
      bind(config, ...more)
    }
  }

  return { commit, sent }
}

interface Connection {
  bind(config: { statement: string; values: unknown[] }, ...more: unknown[]): void
}
