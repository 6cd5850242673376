import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import t, { type Test } from 'tap'
import { hasPython } from '../support/ledger/both-verifiers.ts'
import { issueToken } from '../support/http/sessions.ts'
import { startService } from '../support/service.ts'

/* Both nightly syncs run as their users run them: a file alone in a folder, without any package. */

const SYNCS = [
  { file: 'nightly-sync.ts', program: process.execPath },
  { file: 'nightly_sync.py', program: 'python3' },
]
const folder = mkdtempSync(path.join(os.tmpdir(), 'nightly-sync-'))
t.teardown(() => rmSync(folder, { recursive: true }))
const staff = path.join(folder, 'staff.csv')

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
const writeRows = (rows: readonly (readonly string[])[]) =>
  writeFileSync(staff, [HEADER, ...rows.map((cells) => cells.join(','))].join('\n'))

interface Run {
  exitCode: number
  stdout: string
  stderr: string
}

for (const { file, program } of SYNCS) {
  const skip = program === 'python3' && !hasPython() && 'there is no python3 here'
  await t.test(file, { skip }, async (t) => walkNights(t, file, program))
}

async function walkNights(t: Test, file: string, program: string) {
  cpSync(`docs/${file}`, path.join(folder, file))
  const { admin, member, key } = await service.makeCompany(file)
  const { token } = (await issueToken(service, admin, { name: 'Nightly sync', scopes: ['uploads:write'] })).body
  const linked = (id: string) => `${service.address}/settings/bulk-user-logs/upload/${id}`
  const newestUpload = async () => (await service.admin('/uploads', token)).body.items[0].id as string

  /** Runs the program with nothing of this process's environment: tap adds hooks to every process of its own. */
  const start = (args: string[], settings: Record<string, string>) =>
    new Promise<Run>((resolve) => {
      const variables = Object.entries(settings).map(([name, value]) => `${name}=${value}`)
      const command = ['-i', `PATH=${process.env['PATH']}`, ...variables, program, path.join(folder, file), ...args]
      execFile('env', command, (error, stdout, stderr) =>
        resolve({ exitCode: error === null ? 0 : Number(error.code), stdout: stdout.trim(), stderr: stderr.trim() }),
      )
    })
  const run = (...args: string[]) => start(args, { API_URL: service.address, API_TOKEN: token })
  /** Runs a night with the rows of a file. */
  const runNight = (rows: readonly (readonly string[])[], ...args: string[]) => {
    writeRows(rows)
    return run(staff, ...args)
  }

  await t.test('nothing is applied before somebody has looked at what the columns mean', async (t) => {
    const { exitCode, stdout } = await runNight(people.slice(0, 2))
    t.equal(exitCode, 1)
    const id = await newestUpload()
    t.ok(stdout.endsWith(`. Say what its columns mean: ${linked(id)}`), stdout)
    t.strictSame((await service.call('GET', '/v1/employees', { key })).body.items, [])
    await service.manage('POST', `/uploads/${id}/apply`, undefined, token)
  })

  await t.test('the first night creates 2,500 employees, and the second one changes nothing', async (t) => {
    t.match(await runNight(people), {
      stdout: 'staff.csv: 2500 rows: 2498 created, 0 changed, 2 unchanged, 0 refused',
      exitCode: 0,
    })
    t.match(await runNight(people), {
      stdout: 'staff.csv: 2500 rows: 0 created, 0 changed, 2500 unchanged, 0 refused',
      exitCode: 0,
    })
  })

  await t.test('a night whose ids are those of other people waits, and the line says why', async (t) => {
    const moved = await runNight(people.map((cells, at) => cells.with(0, people.at(at - 1)![0]!)))
    const why = 'By names or email addresses, 500 of 500 rows are about other people than their ids say. Look at it: '
    t.match(moved, { exitCode: 1, stdout: `${why}${linked(await newestUpload())}` })
    await service.manage('DELETE', `/uploads/${await newestUpload()}`, undefined, token)
  })

  await t.test('a row that cannot be applied is left out, and the line says where it waits', async (t) => {
    const [moved, broken, ...others] = people
    const { exitCode, stdout } = await runNight([moved!.with(4, 'Research'), broken!.with(5, '12'), ...others])
    const counts = 'staff.csv: 2500 rows: 0 created, 1 changed, 2498 unchanged, 1 refused'
    t.match({ exitCode, stdout }, { exitCode: 1, stdout: `${counts}. See ${linked(await newestUpload())}` })
  })

  await t.test('who is not in the file is deactivated up to the limit, and nobody beyond it', async (t) => {
    await service.project()
    const beyond = await runNight(people.slice(3), '--at-most', '2')
    t.match(beyond, { stdout: /; 3 not in the file, more than 2: none deactivated\. See http/, exitCode: 1 })
    t.match(await runNight(people.slice(3), '--at-most', '3'), {
      stdout:
        'staff.csv: 2497 rows: 0 created, 0 changed, 2497 unchanged, 0 refused, 3 not in the file and deactivated',
      exitCode: 0,
    })
    const broken = people.slice(4).map((cells, at) => (at === 0 ? cells.with(5, '12') : cells))
    const uncertain = await runNight(broken, '--at-most', '25')
    t.match(uncertain, { stdout: /1 refused; nobody deactivated, because rows have errors\. See http/, exitCode: 1 })
    const { items } = (await service.call('GET', '/v1/employees?status=inactive', { key })).body
    t.equal(items.length, 3)
  })

  await t.test('the encoding of a file and what its columns mean can be given', async (t) => {
    const ambiguous = path.join(folder, 'other.csv')
    const content = 'Personalnummer,Rufname,Mail\nHR-9001,\xe6\xf8\xe5\xf6\xe4,o@example.com\n'
    writeFileSync(ambiguous, Buffer.from(content, 'latin1'))
    const asked = await run(ambiguous)
    t.match(asked, { exitCode: 1, stdout: '', stderr: /--encoding '[\w-]+' / })
    const answered = await run(ambiguous, '--encoding', 'windows-1252')
    t.match(answered, { exitCode: 1, stdout: /Say what its columns mean/ })
    const mapping = (await service.admin(`/uploads/${await newestUpload()}/mapping`, token)).body
    const map = path.join(folder, 'mapping.json')
    writeFileSync(map, JSON.stringify(mapping))
    t.match(await run(ambiguous, '--encoding', 'windows-1252', '--map', map), {
      stdout: /^other\.csv: 1 row: 1 created, /,
      exitCode: 0,
    })
  })

  await t.test('a question that is left is named', async (t) => {
    const [email, known] = ['kim@example.com', path.join(folder, 'known.csv')]
    await service.call('POST', '/v1/employees', { key, body: { first_name: 'Kim', email } })
    await service.project()
    writeFileSync(known, `external_id,first_name,email\nKnown-1,Kim,${email}\n`)
    const asked = await run(known)
    t.match(asked, { stdout: /\. Answer its questions \(same_addresses\): http/, exitCode: 1 })
  })

  await t.test('what cannot be run says why, and whether it is worth trying again', async (t) => {
    writeRows(people.slice(0, 1))
    const good = { API_URL: service.address, API_TOKEN: token }
    t.match(await start([staff], { ...good, API_TOKEN: member.token }), { exitCode: 2, stderr: /administrators/ })
    t.match(await start([staff], { ...good, API_TOKEN: 'el_user_x' }), { exitCode: 2, stderr: /./ })
    t.match(await start([staff], { API_URL: service.address }), { exitCode: 2, stderr: /API_TOKEN/ })
    t.match(await start([staff, '--nonsense'], good), { exitCode: 2, stderr: /--nonsense/ })
    t.match(await start([staff, '--at-most', 'x'], good), { exitCode: 2, stderr: /--at-most/ })
    t.match(await start([path.join(folder, 'none.csv')], good), { exitCode: 2, stderr: /none\.csv/ })
    const silent = await start([staff], { ...good, API_URL: 'http://127.0.0.1:9' })
    t.match(silent, { exitCode: 3, stderr: /did not answer: ./ })
    t.notMatch(silent.stderr, /\n/, 'one line')
    t.match(await start([staff], { ...good, API_URL: 'nowhere' }), { exitCode: 2, stderr: /URL/ })
  })
}
