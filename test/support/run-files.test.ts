import { spawnSync } from 'node:child_process'
import t from 'tap'

const RUN = `const { runFiles } = await import('./test/support/run-files.ts'); await runFiles('test/fixtures/run-files/*.ts')`

await t.test('a file that fails to load is reported by name, and later files still run', async (t) => {
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', RUN], { encoding: 'utf8' })
  t.equal(status, 1)
  const results = stdout.split('\n').filter((line) => /^(?:not )?ok /.test(line))
  t.match(results, [
    /^not ok 1 - test\/fixtures\/run-files\/broken\.ts/,
    /^ok 2 - what the file before started is over/,
    /^not ok 3 - test\/fixtures\/run-files\/next\.ts/,
  ])
  t.equal(results.length, 3)
})
