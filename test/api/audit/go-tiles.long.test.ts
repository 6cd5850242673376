import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { compileGo } from '../../support/ledger/go-program.ts'
import { lengthenLedger } from '../../support/ledger/long-ledger.ts'
import { employee, startService } from '../../support/service.ts'

const folder = t.testdir()
const missing = compileGo('test/support/ledger/read_tiles.go', folder)

await t.test(
  "Go's own client makes proofs from the tiles of a ledger, and finds the entries in it",
  { skip: missing !== null && `there is no ${missing} here` },
  async (t) => {
    const service = await startService(t)
    const { company } = service
    const { body } = await service.call('POST', '/v1/employees', { body: employee() })
    await lengthenLedger(service, company.id, body.employees[0].id, 70_000)
    const { items } = (await service.audit('/keys')).body
    const { position } = (await service.audit('/checkpoint')).body
    const prefix = `${service.address}/audit/v1/tlog/${company.id}`
    const args = [prefix, company.auditor.token, items[0].public_key]
    const { stdout } = await promisify(execFile)(path.join(folder, 'program'), args)
    t.equal(stdout, `read: ${position} events of employee-ledger/${company.id}\n`)
  },
)
