import { readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import type { Environment } from '../support/processes/cli.ts'
import { failsWithLine, makeDataDir, runCommand, runJson } from '../support/processes/cli.ts'
import { employee, startService } from '../support/service.ts'

const service = await startService(t)
const { id: company, member } = service.company
const ENVIRONMENT: Environment = { DATABASE_URL: service.urls.serviceUrl, DATA_DIR: makeDataDir(t), LOG_LEVEL: 'warn' }
const erase = (...named: string[]) => ['employee', 'erase', '--company', company, ...named]
const head = async () => (await service.pool.query('select position from heads')).rows[0].position as number

const { body } = await service.call('POST', '/v1/employees', { body: employee({ external_id: 'E 1' }) })
const { id } = body.employees[0]

await t.test('without a terminal nothing is erased unless --yes is given', async (t) => {
  const before = await head()
  failsWithLine(t, await runCommand(t, erase('--id', id), ENVIRONMENT), /cannot be undone; confirm with --yes/, 2)
  const ended = await runCommand(t, ['user', 'erase', '--company', company, '--user', member.user_id], ENVIRONMENT)
  failsWithLine(t, ended, /cannot be undone; confirm with --yes/, 2)
  t.equal(await head(), before)
})

await t.test('exactly one option identifies the person', async (t) => {
  failsWithLine(
    t,
    await runCommand(t, erase('--yes'), ENVIRONMENT),
    /identify the person with --id, --email, --external-id, or --user-name/,
    2,
  )
  const two = await runCommand(t, erase('--yes', '--id', id, '--email', 'ana@example.com'), ENVIRONMENT)
  t.equal(two.exitCode, 2)
  t.match(two.stderr, /'--id <id>' cannot be used with option '--email <email>'/)
})

await t.test('a report is written to a file or to standard output, as a page or as JSON', async (t) => {
  const report = (...more: string[]) => ['employee', 'report', '--company', company, '--external-id', 'E 1', ...more]
  t.match(await runJson(t, report(), ENVIRONMENT), { facts: { employee_id: id, reported_by: 'operator' } })
  const file = path.join(path.dirname(makeDataDir(t)), 'person.html')
  t.equal((await runCommand(t, report('--out', file), ENVIRONMENT)).exitCode, 0)
  t.match(readFileSync(file, 'utf8'), /^<!doctype html>[^]*E 1[^]*<\/html>\n$/)
  failsWithLine(t, await runCommand(t, report('--out', file), ENVIRONMENT), /already exists; choose another name/)
  const ofUser = ['user', 'report', '--company', company, '--user', member.user_id]
  t.match(await runJson(t, ofUser, ENVIRONMENT), {
    sections: { account: { items: [{ email: 'member@example.com' }] } },
  })
})

await t.test('an employee is erased once, and the running API applies it at once', async (t) => {
  const erased = await runJson<object>(t, erase('--external-id', 'E 1', '--yes'), ENVIRONMENT)
  t.strictSame(erased, { employee_id: id, positions: 1, position: await head() })
  t.equal((await service.call('GET', `/v1/employees/${id}`)).status, 404)
  failsWithLine(t, await runCommand(t, erase('--id', id, '--yes'), ENVIRONMENT), /No employee has this identifier/)
})

await t.test('only removed users are erased', async (t) => {
  const user = ['user', 'erase', '--company', company, '--user', member.user_id, '--yes']
  failsWithLine(t, await runCommand(t, user, ENVIRONMENT), /Only a removed user can be erased/)
  await service.manage('DELETE', `/users/${member.user_id}`)
  t.match(await runJson(t, user, ENVIRONMENT), { user_id: member.user_id, email: '', name: '', status: 'removed' })
})
