import { cpSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import type * as sync from '../../docs/nightly-sync.ts'
import { installClient } from '../support/processes/installed-client.ts'
import { startService } from '../support/service.ts'

/* The nightly sync runs as its users run it: in a folder of its own, with the installed package. */

const { folder } = await installClient()
cpSync('docs/nightly-sync.ts', path.join(folder, 'nightly-sync.mts'))
const { nightlySync } = (await import(path.join(folder, 'nightly-sync.mts'))) as typeof sync

const service = await startService(t, { SWEEP_INTERVAL_MS: '100' }, { workers: true })
const HEADER = 'Personalnummer,Vorname,Nachname,E-Mail,Abteilung,Telefon'
const people = Array.from({ length: 2_500 }, (_, at) => [
  `HR-${at}`,
  'Ana',
  `Number ${at}`,
  `ana.${at}@example.com`,
  'Sales',
  `+4930${1_000_000 + at}`,
])

/** Runs a night with the rows of a file. */
async function run(rows: readonly (readonly string[])[], token = service.company.admin.token, atMost = 0) {
  const file = path.join(folder, 'staff.csv')
  writeFileSync(file, [HEADER, ...rows.map((cells) => cells.join(','))].join('\n'))
  return nightlySync(service.address, token, file, atMost)
}

await t.test('nothing is applied before somebody has looked at what the columns mean', async (t) => {
  t.match(await run(people.slice(0, 2)), {
    text: /; choose what its columns mean on the page Upload file$/,
    exitCode: 1,
  })
  t.strictSame((await service.call('GET', '/v1/employees')).body.items, [])
  const { token } = service.company.admin
  const { items } = (await service.admin('/uploads', token)).body
  await service.manage('POST', `/uploads/${items[0].id}/apply`, undefined, token)
})

await t.test('the first night creates 2,500 employees, and the second one changes nothing', async (t) => {
  t.strictSame(await run(people), {
    text: 'staff.csv: 2500 rows: 2498 created, 0 changed, 2 unchanged, 0 refused',
    exitCode: 0,
  })
  t.strictSame(await run(people), {
    text: 'staff.csv: 2500 rows: 0 created, 0 changed, 2500 unchanged, 0 refused',
    exitCode: 0,
  })
})

await t.test('a row that cannot be applied is left out, and the exit code says so', async (t) => {
  const [moved, broken, ...others] = people
  t.strictSame(await run([moved!.with(4, 'Research'), broken!.with(5, '12'), ...others]), {
    text: 'staff.csv: 2500 rows: 0 created, 1 changed, 2498 unchanged, 1 refused',
    exitCode: 1,
  })
})

await t.test('nothing is applied if somebody has to look at the file', async (t) => {
  t.match(await run([people[0]!.with(5, '4.9E+12')]), {
    text: 'staff.csv: 1 row: 0 created, 0 changed, 0 unchanged, 0 refused, 1 waiting (previewed)',
    exitCode: 1,
  })
})

await t.test('who is not in the file is deactivated up to the limit, and nobody beyond it', async (t) => {
  await service.project()
  const token = service.company.admin.token
  t.strictSame(await run(people.slice(3), token, 2), {
    text: 'staff.csv: 2497 rows: 0 created, 0 changed, 2497 unchanged, 0 refused; 3 not in the file, more than 2: none deactivated',
    exitCode: 1,
  })
  t.strictSame(await run(people.slice(3), token, 3), {
    text: 'staff.csv: 2497 rows: 0 created, 0 changed, 2497 unchanged, 0 refused, 3 not in the file and deactivated',
    exitCode: 0,
  })
  const broken = people.slice(4).map((cells, at) => (at === 0 ? cells.with(5, '12') : cells))
  t.match(await run(broken, token, 25), { text: /1 refused$/, exitCode: 1 })
  const { items } = (await service.call('GET', '/v1/employees?status=inactive')).body
  t.equal(items.length, 3)
})

await t.test('a token that must not upload ends the run', async (t) => {
  await t.rejects(run(people, service.company.member.token), { message: /^403: / })
})
