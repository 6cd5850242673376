import type { BenchServer } from '../../../bench/processes/postgres.ts'
import { serverAt } from '../../../bench/processes/postgres.ts'
import { testServerUrls } from '../postgres/test-server.ts'

/** The tests' server for a benchmark. Databases that begin with this name are migrated before, as for every other test. */
export function benchServer(ours: string): BenchServer {
  const server = serverAt(testServerUrls())
  return {
    ...server,
    async createDatabase(name) {
      if (!name.startsWith(ours)) return server.createDatabase(name)
      await server.run(`create database ${name} template employee_ledger owner ledger_owner`)
      return server.urlsOf(name)
    },
  }
}
