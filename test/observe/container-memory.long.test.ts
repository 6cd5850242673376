import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { utils, write } from '@e965/xlsx'
import t from 'tap'
import { addressOf, startProcess } from '../support/processes/processes.ts'
import { send, startService } from '../support/service.ts'
import { hostileWorkbooks } from '../support/files/hostile-workbooks.ts'

/* The limits of memory in docs/kubernetes.yaml are enough for the largest files of several companies at once. */

const MIB = 2 ** 20
const GROUPS = '/sys/fs/cgroup/memory'
const group = path.join(GROUPS, `employee-ledger-${process.pid}`)

/** Whether this machine lets the test limit the memory of a process: cgroups of version 1, as root. */
function canLimit(): boolean {
  try {
    mkdirSync(group)
    return existsSync(path.join(group, 'memory.limit_in_bytes'))
  } catch {
    return false
  }
}

const skip = canLimit() ? {} : { skip: 'the memory of a process cannot be limited here' }
const readFact = (name: string) => readFileSync(path.join(group, name), 'utf8')

function limitOf(part: string): number {
  const yaml = readFileSync('docs/kubernetes.yaml', 'utf8')
  return Number(new RegExp(`- name: ${part}\\n[^]*?limits: \\{ memory: (\\d+)Mi \\}`).exec(yaml)![1]) * MIB
}

/** A workbook of as many people as a file may have, with more cells than they need. */
function largeWorkbook(): Buffer {
  const rows = Array.from({ length: 100_000 }, (_, at) => [
    ...[`E-${at}`, 'Ana', `Perez ${at}`, `e${at}@example.com`, 'Engineer', 'Sales', 'Europe', 'Berlin'],
    ...['2019-02-28', 'Active', `note ${at}`],
  ])
  const book = utils.book_new()
  const header = 'Employee ID,First name,Last name,Email,Job title,Department,Division,Location,Start date,Status,Note'
  utils.book_append_sheet(book, utils.aoa_to_sheet([header.split(','), ...rows]), 'Staff')
  return write(book, { type: 'buffer', bookType: 'xlsx', compression: true }) as Buffer
}

await t.test('an API process survives large and hostile workbooks of four companies at once', skip, async (t) => {
  t.teardown(() => rmdirSync(group))
  const owner = await startService(t)
  const companies = await Promise.all(['A', 'B', 'C', 'D'].map((name) => owner.makeCompany(name)))
  writeFileSync(path.join(group, 'memory.limit_in_bytes'), String(limitOf('api')))
  const api = await startProcess(t, 'serve', owner.urls, { DATA_DIR: owner.config.DATA_DIR })
  const address = addressOf(api)
  writeFileSync(path.join(group, 'cgroup.procs'), String(api.child.pid))
  const upload = (token: string, body: Buffer) =>
    send(address, 'POST', '/admin/v1/uploads', {
      key: null,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' },
      body,
    })
  const large = largeWorkbook()
  const takeMemory = hostileWorkbooks((name) => /million|most repeated/.test(name))
  const files = [large, large, ...takeMemory.map(({ content }) => content)]
  await Promise.all(
    companies.map(async ({ admin }, at) => {
      for (let turn = 0; turn < files.length; turn += 1) {
        const { status, body } = await upload(admin.token, files[(at + turn) % files.length]!)
        t.ok(status === 201 || status === 422, `${status} ${JSON.stringify(body).slice(0, 200)}`)
      }
    }),
  )
  t.equal(api.child.exitCode, null)
  t.equal(api.child.signalCode, null, 'the API was not killed')
  t.comment(
    `${Math.round(Number(readFact('memory.max_usage_in_bytes')) / MIB)} MiB at most`,
    readFact('memory.failcnt'),
  )
})
