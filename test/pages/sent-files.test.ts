import { Writable } from 'node:stream'
import { pino } from 'pino'
import t from 'tap'
import { browse, cookieOf } from '../support/http/sessions.ts'
import { startService } from '../support/service.ts'

const lines: string[] = []
const destination = new Writable({
  write(chunk: Buffer, _, done) {
    lines.push(chunk.toString())
    done()
  },
})
const service = await startService(t, {}, { log: pino({ level: 'warn' }, destination) })

await t.test('a file that a form asks for is sent, and no error is logged', async (t) => {
  const cookie = await cookieOf(service, service.company.admin)
  const answer = await browse(service, '/account/personal-data', { cookie, form: { format: 'json' } })
  t.match(answer, { status: 200, headers: { 'content-type': /^application\/json/ } })
  t.strictSame(lines, [])
})
