import { spawnSync } from 'node:child_process'
import t from 'tap'

await t.test('`npm run fuzz` sends as many requests as asked for, on a server of its own', async (t) => {
  const { status, stdout } = spawnSync('npm', ['run', '-s', 'fuzz', '--', '--inputs', '20', '--seed', '3'], {
    encoding: 'utf8',
    // On the cluster of this run, it would give the roles other passwords.
    env: { ...process.env, CITUS_URL: undefined },
  })
  t.match(stdout, /requests in 1 batches, seeds 3 to 3, .* 0 found/)
  t.equal(status, 0)
})
