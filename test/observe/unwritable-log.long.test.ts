import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import os from 'node:os'
import readline from 'node:readline'
import t from 'tap'
import { makeDataDir } from '../support/processes/cli.ts'
import { send, startService } from '../support/service.ts'

await t.test('a log that cannot be written, as on a full disk, ends no process', async (t) => {
  const { urls, company } = await startService(t)
  const child = spawn(process.execPath, ['src/main.ts', 'serve'], {
    env: {
      PATH: process.env['PATH'],
      TMPDIR: os.tmpdir(),
      DATABASE_URL: urls.serviceUrl,
      DATA_DIR: makeDataDir(t),
      PORT: '0',
      LOG_LEVEL: 'trace',
    },
    stdio: ['ignore', 'pipe', openSync('/dev/full', 'w')],
  })
  t.teardown(() => child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  const [line] = (await Promise.race([once(readline.createInterface(child.stdout!), 'line'), exited])) as [string]
  const [, address] = /listens on (http:\S+)/.exec(line)!
  for (let calls = 0; calls < 3; calls += 1)
    t.equal((await send(address!, 'GET', '/v1/auth/verify', { key: company.key })).status, 200)
  child.kill('SIGTERM')
  t.strictSame(await exited, [0, null])
})
