import type { BenchServer } from '../../../bench/processes/postgres.ts'
import { serverAt } from '../../../bench/processes/postgres.ts'
import { CITUS_URL } from '../postgres/citus-url.ts'
import { NAMES, testServerUrls } from '../postgres/test-server.ts'

/** For tests that run a benchmark. */
export const onOneServer =
  CITUS_URL === undefined ? {} : { skip: 'benchmarks make databases of their own, on one server' }

/** The tests' server for a benchmark. Databases whose names start with this are migrated first, as for every test. */
export function benchServer(ours: string): BenchServer {
  const server = serverAt(testServerUrls())
  return {
    ...server,
    async createDatabase(name) {
      if (!name.startsWith(ours)) return server.createDatabase(name)
      await server.run(`create database ${name} template ${NAMES.database} owner ${NAMES.owner}`)
      return server.urlsOf(name)
    },
  }
}
