import path from 'node:path'
import t from 'tap'
import { comparePlays } from '../../bench/record/record-command.ts'
import { onOneServer } from '../support/processes/bench-server.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')

await t.test('a version says and stores the same to the byte when calls are repeated', onOneServer, async (t) => {
  const options = { calls: 150, companies: 1, seed: 1, dataDir: t.testdir() }
  const { calls, equal, kinds, outcomes } = await comparePlays(ROOT, options)
  t.strictSame([...kinds.values()], [])
  t.strictSame([calls, equal], [150, 150])
  for (const outcome of ['200', '201', '404 employee_not_found', '422 validation_failed', '400 malformed_json'])
    t.ok(outcomes.has(outcome), `some calls get ${outcome}`)
})
