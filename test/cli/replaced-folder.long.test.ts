import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, renameSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { utils, write, type BookType } from '@e965/xlsx'
import t from 'tap'
import { packClient } from '../../src/client-package/pack-client.ts'
import { readSources } from '../../src/client-package/read-sources.ts'
import { collectRoutes } from '../support/http/registered-routes.ts'
import { browse, cookieOf } from '../support/http/sessions.ts'
import { addressOf, startProcess } from '../support/processes/processes.ts'
import { employee, send, startService } from '../support/service.ts'

/* Who replaces the program in place, and not in a folder of its own, must not break the processes that still run. */

const routes = collectRoutes()
const owner = await startService(t)
const { admin } = owner.company

/** The program as somebody installed it. */
const folder = t.testdir({ installed: {} })
const installed = path.join(folder, 'installed')
for (const name of ['src', 'projections', 'migrations', 'clients', 'docs', 'package.json'])
  cpSync(name, path.join(installed, name), { recursive: true })
symlinkSync(path.resolve('node_modules'), path.join(installed, 'node_modules'))
// As the image has it.
execFileSync(process.execPath, ['src/spreadsheets/process/write-plain-program.ts'], { cwd: installed, stdio: 'ignore' })

const settings = {
  DATA_DIR: owner.config.DATA_DIR,
  PUBLIC_URL: 'http://localhost',
  SECRETS_KEY: owner.config.SECRETS_KEY!,
  SIGNING_KEY: owner.config.SIGNING_KEY!,
}
const api = await startProcess(t, 'serve', owner.urls, settings, installed)
const service = { address: addressOf(api) }
await startProcess(t, 'work', owner.urls, settings, installed)
renameSync(installed, path.join(folder, 'removed'))
mkdirSync(installed)

const cookie = await cookieOf(owner, admin)

function workbook(bookType: BookType): Buffer {
  const book = utils.book_new()
  utils.book_append_sheet(
    book,
    utils.aoa_to_sheet([
      ['Email', 'Job title'],
      ['ana@example.com', 'Engineer'],
    ]),
    'Staff',
  )
  return write(book, { type: 'buffer', bookType }) as Buffer
}

const FILES: Record<string, Buffer> = {
  csv: Buffer.from('Email,Job title\nana@example.com,Engineer\n'),
  json: Buffer.from('[{"email":"ana@example.com"}]'),
  xlsx: workbook('xlsx'),
  ods: workbook('ods'),
  xls: workbook('biff8'),
}

for (const [kind, body] of Object.entries(FILES))
  await t.test(`a file is read: ${kind}`, async (t) => {
    const headers = { authorization: `Bearer ${admin.token}`, 'content-type': 'application/octet-stream' }
    const answer = await send(service.address, 'POST', '/admin/v1/uploads?operation=upsert', {
      key: null,
      headers,
      body,
    })
    t.match(answer, { status: 201 })
  })

await t.test('the package of the client is that of the version that runs', async (t) => {
  const packed = await fetch(`${service.address}/client.tgz`)
  t.equal(packed.status, 200)
  t.ok(Buffer.from(await packed.arrayBuffer()).equals(packClient(readSources())))
})

await t.test('no route fails', async (t) => {
  const call = await send(service.address, 'POST', '/v1/employees', { key: owner.company.key, body: employee() })
  t.equal(call.status, 201)
  const ids: Record<string, string> = { log_id: call.body.log_id, id: call.body.employees[0].id }
  for (const { method, url } of routes) {
    if (method === 'HEAD' || url.endsWith('/stream') || url.includes('sign-out')) continue
    const address = url.replaceAll(/:(\w+)/g, (_, name: string) => ids[name] ?? 'x').replace('*', 'x')
    const isPage = !/^\/(?:v1|scim|admin|audit)\//.test(url)
    const headers = url.startsWith('/v1/') ? {} : { authorization: `Bearer ${admin.token}` }
    const key = url.startsWith('/v1/') ? owner.company.key : null
    const { status } = isPage
      ? await browse(service, address, { cookie, ...(method === 'POST' ? { form: {} } : {}) })
      : await send(service.address, method, address, { key, headers, ...(method === 'GET' ? {} : { body: {} }) })
    t.ok(status < 500, `${method} ${url}: ${status}`)
  }
})
