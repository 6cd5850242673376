import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { runVerifier, unpack, writeFiles } from '../support/ledger/evidence.ts'
import type { Environment } from '../support/processes/cli.ts'
import { failsWithLine, runCommand } from '../support/processes/cli.ts'
import { employee, startService } from '../support/service.ts'

const service = await startService(t)
const { body } = await service.call('POST', '/v1/employees', { body: [employee(), employee()] })
const [employeeId, callId] = [body.employees[0].id as string, body.log_id as string]
const { id } = service.company
const SERVICE: Environment = {
  DATABASE_URL: service.config.DATABASE_URL!,
  DATA_DIR: service.config.DATA_DIR,
  SIGNING_KEY: service.config.SIGNING_KEY!,
}
const folder = t.testdir()
const file = (name: string) => path.join(folder, name)
const run = (...args: string[]) => runCommand(t, ['audit', 'evidence', '--company', id, ...args], SERVICE)

await t.test('evidence files of an employee, a call, a period, and the whole ledger verify', async (t) => {
  const made = {
    employee: ['--employee', employeeId],
    call: ['--call', callId],
    period: ['--from', '2020-01-01T00:00:00Z', '--to', '2120-01-01T00:00:00Z'],
    whole: [],
  }
  const events: Record<string, number> = { employee: 2, call: 3 }
  for (const [name, args] of Object.entries(made)) {
    const { exitCode, stdout, stderr } = await run(...args, '--out', file(`${name}.zip`), '--json')
    t.equal(exitCode, 0, stderr)
    const { events: count, ledger_size: size } = JSON.parse(stdout)
    t.equal(count, events[name] ?? size)
    const unpacked = writeFiles(file(name), await unpack(readFileSync(file(`${name}.zip`))))
    t.match(runVerifier(unpacked), { status: 0, told: `${count} of ${count} events are in the ledger of Acme at ` })
  }
})

await t.test('a failed command leaves nothing behind, and says why', async (t) => {
  const other = employeeId.endsWith('0') ? '1' : '0'
  failsWithLine(t, await run('--employee', employeeId, '--out', file('call.zip')), /call\.zip already exists/)
  failsWithLine(
    t,
    await run('--employee', employeeId.slice(0, -1) + other, '--out', file('x')),
    /No employee has this id/,
  )
  failsWithLine(t, await run('--call', `log_${employeeId.slice(4)}`, '--out', file('x')), /No call has this id/)
  failsWithLine(t, await run('--to', '2020-01-01T00:00:00Z', '--out', file('x')), /Nothing was recorded in this period/)
  const unsigned = await runCommand(t, ['audit', 'evidence', '--company', id, '--out', file('x')], {
    ...SERVICE,
    SIGNING_KEY: '',
  })
  failsWithLine(t, unsigned, /does not sign checkpoints: no signing key is set/)
  t.notOk(existsSync(file('x')))
})
