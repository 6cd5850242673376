import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { findMisspelled } from '../../src/config.ts'
import { failsWithLine, makeDataDir, runCommand, runJson } from '../support/processes/cli.ts'
import { createTestDatabase } from '../support/postgres/test-database.ts'
import { NAMES } from '../support/postgres/test-server.ts'

const urls = await createTestDatabase(t)
const SERVICE = { DATABASE_URL: urls.serviceUrl }
const COMPANY = 'com_01m7wpyc6pe4c84c8xtp0e86m3'

await t.test('an invalid setting is named in one line', async (t) => {
  const faults: [Record<string, string>, string][] = [
    [{ PORT: 'abc' }, 'PORT must be a whole number from 0 to 65535'],
    [{ POOL_SIZE: '1' }, 'POOL_SIZE must be a whole number from 2 to 200'],
    [{ BURST_LIMIT: '-1' }, 'BURST_LIMIT must be a whole number, 0 or more'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent'],
    ...[
      ...['pass#word', '12#3', 'pass/word', '12/3', '12?3'].map((password) => `user:${password}@db.invalid/x`),
      `db.invalid/x?${'a='.repeat(40)}#`,
    ].map((address): [Record<string, string>, string] => [
      { DATABASE_URL: `postgres://${address}` },
      'DATABASE_URL must be postgres://USER:PASSWORD@HOST:PORT/NAME; in USER and PASSWORD, write / as %2F, ? as %3F, and # as %23',
    ]),
    ...['one,two', 'one:5432,two:5432', '/x?host=one,two'].map((hosts): [Record<string, string>, string] => [
      { DATABASE_URL: 'postgres://db/x', MIGRATE_DATABASE_URL: `postgres://user:p,w@${hosts}` },
      'MIGRATE_DATABASE_URL must name one host, such as a proxy that leads to the primary',
    ]),
    [{ DATABASE_URL: 'mysql://db' }, 'DATABASE_URL must start with postgres:// or postgresql://'],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' },
      'OTEL_EXPORTER_OTLP_ENDPOINT must be a URL that starts with http:// or https://',
    ],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a b' }, 'OTEL_EXPORTER_OTLP_ENDPOINT is not a valid URL'],
    [{ PUBLIC_URL: 'https://example.com:99999' }, 'PUBLIC_URL is not a valid URL'],
    [
      { PUBLIC_URL: 'https://example.com/ledger' },
      'PUBLIC_URL must be a URL that starts with http:// or https://, without a path',
    ],
    [
      { TRUST_PROXY: '10.0.0.0/33' },
      'TRUST_PROXY must be IP addresses or networks such as 10.0.0.0/8, separated by commas',
    ],
    [{ OTEL_TRACES_SAMPLER_ARG: '2' }, 'OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1'],
    [{ MIGRATE_DATABASE_URL: 'postgres://db/x' }, 'MIGRATE_DATABASE_URL requires DATABASE_URL'],
    [
      { PORT: '70000', MAX_RECORDS: '1.5' },
      'PORT must be a whole number from 0 to 65535; MAX_RECORDS must be a whole number from 1 to 10000',
    ],
  ]
  const ended = await Promise.all(
    faults.map(([environment], at) => runCommand(t, at === 0 ? ['start'] : ['company', 'list'], environment)),
  )
  for (const [at, [, line]] of faults.entries()) failsWithLine(t, ended[at]!, `employee-ledger: ${line}\n`)
  t.notMatch(ended.map(({ stderr }) => stderr).join(''), 'word', 'a password is never shown')
})

await t.test('an invalid command line gets one line and a hint', async (t) => {
  const issue = ['key', 'issue', '--name', 'x', '--company', COMPANY]
  const resume = ['webhook', 'resume', '--company', COMPANY, '--webhook', 'whk_01m7wpyc6pe4c84c8xtp0e86m3']
  const lines: [string[], RegExp][] = [
    [['fly'], /^error: unknown command 'fly'\n/],
    [['company', 'create', '--name', 'Acme'], /^error: required option '--admin-email <email>' not specified\n/],
    [
      ['company', 'create', '--name', ' ', '--admin-email', 'a@b.example'],
      /argument ' ' is invalid\. It must have 1 to 120/,
    ],
    [['company', 'create', '--name', 'Acme', '--admin-email', 'ada'], /'ada' is invalid\. It must be an email address/],
    [['company', 'list', '--yaml'], /^error: unknown option '--yaml'\n/],
    [
      ['key', 'issue', '--name', 'x', '--company', 'acme'],
      /argument 'acme' is invalid\. It must be an id that starts with com_\./,
    ],
    [[...issue, '--quota-limit', '-1'], /It must be a whole number from 0 to 2147483647/],
    [[...issue, '--scope', 'employees:delete'], /Allowed choices are employees:read, employees:write/],
    [[...issue, '--expires-at', '2099-02-30T00:00:00Z'], /It must be never, or a time such as 2027-01-31T18:00:00Z/],
    [[...resume, '--since', '2026-02-30T00:00Z'], /It must be a time such as 2027-01-31T18:00:00Z/],
    [[...issue, '--network', '10.0.0.0/8', '10.0.0.1/8'], /It must not have bits set after its prefix/],
    [[...issue, '--network', 'any', '10.0.0.0/8'], /any must stand alone/],
    [[...issue, '--refresh-period', 'yearly'], /Allowed choices are hourly, daily, weekly, monthly/],
    [
      ['user', 'add', '--company', COMPANY, '--email', 'a@b.example', '--name', 'A', '--role', 'boss'],
      /choices are admin/,
    ],
    [['projections', 'rebuild', 'employees', '--restart', '--company', COMPANY], /'--restart' cannot be used with/],
    [['projections', 'resume', '--company', COMPANY], /^error: missing required argument 'projection'\n/],
  ]
  const ended = await Promise.all(lines.map(([args]) => runCommand(t, args, SERVICE)))
  for (const [at, [, line]] of lines.entries()) {
    const { exitCode, stdout, stderr } = ended[at]!
    t.match({ exitCode, stdout }, { exitCode: 2, stdout: '' })
    t.match(stderr, line)
    t.match(stderr, /^error: .+\n\(use --help for usage\)\n$/)
  }
})

await t.test('contradicting the database is a one-line error', async (t) => {
  const create = ['company', 'create', '--name', 'Acme', '--admin-email', 'ada@acme.example']
  const { company_id: company } = await runJson<{ company_id: string }>(t, create, SERVICE)
  const user = ['--email', 'ADA@acme.example', '--name', 'Ada', '--role', 'member', '--json']
  const lines: [string[], string][] = [
    [['user', 'add', '--company', company, ...user], 'the company already has a user ada@acme.example'],
    [['user', 'add', '--company', COMPANY, ...user], `there is no company ${COMPANY}`],
    [['key', 'issue', '--company', COMPANY, '--name', 'x', '--json'], `there is no company ${COMPANY}`],
    [
      ['projections', 'resume', 'salaries', '--company', company],
      'there is no projection salaries; choose one of: employees, bulk-user-logs',
    ],
    [['projections', 'resume', 'employees', '--company', company], `${company} is not parked for employees`],
    [
      ['projections', 'rebuild', 'salaries'],
      'there is no projection salaries; choose one of: employees, bulk-user-logs',
    ],
    [['projections', 'rebuild', 'employees'], 'this needs the role that owns the tables: set MIGRATE_DATABASE_URL'],
  ]
  const ended = await Promise.all(lines.map(([args]) => runCommand(t, args, SERVICE)))
  for (const [at, [, line]] of lines.entries()) failsWithLine(t, ended[at]!, `employee-ledger: ${line}\n`)
})

await t.test('an unusable database is a one-line error', async (t) => {
  const changed = (change: Partial<URL>) => ({ DATABASE_URL: Object.assign(new URL(urls.serviceUrl), change).href })
  const prefix = 'employee-ledger: the database of DATABASE_URL cannot be used: '
  const lines: [Record<string, string>, RegExp | string][] = [
    // The name has two addresses, with one error each.
    [{ DATABASE_URL: 'postgres://localhost:1/x' }, /^[^:]+: [^:]+: connect ECONNREFUSED (::1|127\.0\.0\.1):1/],
    [changed({ password: 'guessed' }), `${prefix}password authentication failed for user "${NAMES.service}"\n`],
    [changed({ pathname: '/nowhere' }), `${prefix}database "nowhere" does not exist\n`],
  ]
  const commands = [['start'], ['work'], ['migrate'], ['company', 'list', '--json']]
  const ended = await Promise.all(lines.map(([environment], at) => runCommand(t, commands[at]!, environment)))
  for (const [at, [, line]] of lines.entries()) failsWithLine(t, ended[at]!, line)
  t.notMatch(ended.map(({ stderr }) => stderr).join(''), 'guessed', 'a password is never shown')
})

await t.test('an unusable data folder is a one-line error', async (t) => {
  const parent = path.dirname(makeDataDir(t))
  const file = path.join(parent, 'file')
  writeFileSync(file, '')
  const lines: [string, string][] = [
    [file, `the data folder ${file} is not a folder`],
    [`${file}/data`, `the data folder ${file}/data is not a folder`],
    [
      '/proc/no/data',
      "the data folder /proc/no/data cannot be used: ENOENT: no such file or directory, mkdir '/proc/no'",
    ],
  ]
  const ended = await Promise.all(
    lines.map(([DATA_DIR], at) => runCommand(t, at === 0 ? ['start'] : ['company', 'list'], { DATA_DIR })),
  )
  for (const [at, [, line]] of lines.entries()) failsWithLine(t, ended[at]!, `employee-ledger: ${line}\n`)
})

await t.test('blanks at the ends of a setting, as files of variables leave them, do not count', async (t) => {
  const DATA_DIR = path.join(path.dirname(makeDataDir(t)), 'file')
  writeFileSync(DATA_DIR, '')
  const ended = await runCommand(t, ['company', 'list'], { PORT: ' 0 ', LOG_LEVEL: ' ', DATA_DIR: `${DATA_DIR} \r` })
  failsWithLine(t, ended, `employee-ledger: the data folder ${DATA_DIR} is not a folder\n`)
})

await t.test('a slip in the name of a setting is told, and names of other programs are not', async (t) => {
  const slips = ['DATABSE_URL', 'DATABASEURL', 'DATABASE_URLS', 'DATABASE_UAL', 'database_url']
  const others = ['DATABASE', 'SERVICE_URL', 'PORTS', 'HOSTNAME', 'DATABASE_URL']
  const environment = Object.fromEntries([...slips, ...others].map((name) => [name, 'x']))
  t.strictSame(
    findMisspelled(environment),
    slips.map((name) => `${name} is no setting; is DATABASE_URL meant?`),
  )
})

await t.test('a result that cannot be written is an error', { skip: !existsSync('/dev/full') }, async (t) => {
  const command = `exec ${process.execPath} src/main.ts company list --json >/dev/full`
  const { status, stderr } = spawnSync('sh', ['-c', command], { env: SERVICE, encoding: 'utf8' })
  t.match({ status, stderr }, { status: 1, stderr: /^employee-ledger: the output cannot be written: ENOSPC[^\n]+\n$/ })
})

const canUnshare = spawnSync('unshare', ['--net', 'ip', 'link']).status === 0

await t.test(
  'a machine without 127.0.0.1 is told so',
  { skip: !canUnshare && 'no network namespaces can be made here' },
  (t) => {
    const script = 'ip link set lo up && ip address delete 127.0.0.1/8 dev lo && exec "$@"'
    const command = ['sh', '-c', script, 'sh', process.execPath, 'src/main.ts', 'start']
    const env = { PATH: process.env['PATH'], DATA_DIR: makeDataDir(t) }
    const { status, stdout, stderr } = spawnSync('unshare', ['--net', ...command], {
      env,
      encoding: 'utf8',
    })
    t.match({ status, stdout }, { status: 1, stdout: '' })
    t.match(stderr, /^employee-ledger: the embedded PostgreSQL needs the address 127\.0\.0\.1: .*; add it .*\n$/)
    t.end()
  },
)
