import { Writable } from 'node:stream'
import { pino } from 'pino'
import t from 'tap'
import { employee, startService } from '../../support/service.ts'

const lines: Record<string, unknown>[] = []
const destination = new Writable({
  write(chunk: Buffer, _, done) {
    lines.push(JSON.parse(chunk.toString()) as Record<string, unknown>)
    done()
  },
})
// Nothing folds, so a read that waits for a position ends with 503.
const service = await startService(t, {}, { log: pino({ level: 'warn' }, destination) })

await t.test('a 503 that is expected is a warning of one line, without a stack', async (t) => {
  const { headers } = await service.call('POST', '/v1/employees', { body: employee() })
  const late = await service.call('GET', `/v1/employees?min_position=${headers['x-ledger-position']}`)
  t.match(late, { status: 503, body: { code: 'unavailable' } })
  const about = lines.filter(({ reqId, requestId }) => late.headers['x-request-id'] === (requestId ?? reqId))
  t.match(about, [{ level: 40, reason: String }])
  t.notMatch(JSON.stringify(lines), /"stack"|\n\s+at /)
})
