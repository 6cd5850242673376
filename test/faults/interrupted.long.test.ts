import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { isAlive } from '../../src/files/unfinished.ts'
import { eventually } from '../support/eventually.ts'

/* A signal to `npm run faults` alone, as a supervisor sends it, leaves no server and no folder behind. */

for (const [moment, trace] of [
  ['while its database is made', '**/postmaster.pid'],
  ['while the program runs', 'ledger-faults-*/checkpoints'],
] as const) {
  await t.test(`SIGINT ${moment} ends everything that the fault harness has started`, async (t) => {
    const folder = t.testdir()
    const child = spawn(process.execPath, ['test/faults/main.ts', '--only', 'worker killed at random', '--runs', '1'], {
      env: { ...process.env, TMPDIR: folder },
      detached: true,
      stdio: 'ignore',
    })
    t.teardown(() => child.kill('SIGKILL'))
    const servers = await eventually('it has come that far', async () => {
      const found = globSync(trace, { cwd: folder }).length > 0 ? listServers(folder) : []
      return found.length > 0 && found
    })
    child.kill('SIGINT')
    t.strictSame(await once(child, 'exit'), [1, null])
    await eventually('no server is left', async () => !servers.some((pid) => isAlive(pid)))
    t.strictSame(globSync('ledger-faults-*', { cwd: folder }), [])
  })
}

function listServers(folder: string): number[] {
  const files = globSync('**/postmaster.pid', { cwd: folder })
  return files.map((file) => Number(readFileSync(path.join(folder, file), 'utf8').split('\n')[0]))
}
