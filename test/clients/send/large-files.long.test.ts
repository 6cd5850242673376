import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, writeSync } from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { MAX_RECORDS } from '../../../clients/typescript/batches.ts'
import { COMPILE_CACHE } from '../../support/processes/compile-cache.ts'
import { startService } from '../../support/service.ts'

/* The command that sends a file holds a small part of it: it has less memory than the file has bytes. */

const service = await startService(t)
const { api_id: API_ID, api_key: API_KEY } = service.company.key
const folder = t.testdir({})
const MEMORY = '--max-old-space-size=40'

async function send(name: string) {
  const variables = { API_URL: service.address, API_ID, API_KEY, NODE_OPTIONS: MEMORY, ...COMPILE_CACHE }
  const assigned = Object.entries(variables).map(([name, value]) => `${name}=${value}`)
  const program = [process.execPath, path.resolve('clients/typescript/send/main.ts')]
  const child = spawn('env', ['-i', ...assigned, ...program, 'send', name], { cwd: folder })
  const [[code], out, err] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)])
  return { code: code as number | null, out, err }
}

/** Writes a file piece by piece. */
function write(name: string, pieces: Iterable<string>): void {
  const file = openSync(path.join(folder, name), 'w')
  for (const piece of pieces) writeSync(file, piece)
  closeSync(file)
}

await t.test('a file of 50 MB is sent in 25 calls', async (t) => {
  const count = 25 * MAX_RECORDS
  const long = 'x'.repeat(1_000_000 / MAX_RECORDS)
  function* rows() {
    yield 'external_id,first_name,last_name,email,custom_attributes.a,custom_attributes.b\n'
    for (let at = 0; at < count; at += 1) yield `L-${at},Ana,Number ${at},l.${at}@example.com,${long},${long}\n`
  }
  write('large.csv', rows())
  const written = count.toLocaleString('en')
  t.match(await send('large.csv'), { code: 0, out: `large.csv: ${written} records sent: ${written} created` })
  await service.project()
  const { items } = (await service.admin('/bulk-user-logs?limit=100')).body
  t.strictSame(
    (items as { counts: { total: number } }[]).map(({ counts }) => counts.total),
    Array.from({ length: 25 }, () => MAX_RECORDS),
  )
})

await t.test('a line of 100 MB is refused', async (t) => {
  function* line(start: string) {
    yield start
    for (let at = 0; at < 100; at += 1) yield 'x'.repeat(1_000_000)
  }
  write('line.csv', line('email\n'))
  t.match(await send('line.csv'), { code: 1, err: /line\.csv: line 2: The line has more than 262144 characters/ })
  write('header.csv', line('email,'))
  t.match(await send('header.csv'), { code: 1, err: /header\.csv: line 1: The line has more than 262144 characters/ })
  write('line.json', line('[{"email": "'))
  t.match(await send('line.json'), { code: 1, err: /line\.json: line 1: The record that begins here has more than/ })
})
