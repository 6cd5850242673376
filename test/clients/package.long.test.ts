import { once } from 'node:events'
import { globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { utils, write } from '@e965/xlsx'
import { Webhook } from 'standardwebhooks'
import t from 'tap'
import declarations from '../../clients/typescript/declarations.json' with { type: 'json' }
import { packClient } from '../../src/client-package/pack-client.ts'
import { readSources } from '../../src/client-package/read-sources.ts'
import { installClient, runAlone } from '../support/processes/installed-client.ts'
import { startService } from '../support/service.ts'

/* The package as its users have it: installed from the tarball, in a folder with nothing else. */

const { folder } = await installClient()
const service = await startService(t)
const readme = readFileSync('clients/typescript/README.md', 'utf8')
const examples = [...readme.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code]) => code!)

interface Manifest {
  version: string
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
}

const manifestOf = (at: string) => JSON.parse(readFileSync(path.join(at, 'package.json'), 'utf8')) as Manifest

/** Everything that a project can ask of TypeScript, as `@tsconfig/strictest` does. */
const STRICTEST = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  noImplicitReturns: true,
  noImplicitOverride: true,
  noFallthroughCasesInSwitch: true,
  allowUnreachableCode: false,
  allowUnusedLabels: false,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  skipLibCheck: false,
}

/** The faults that TypeScript finds in a program that uses the package, with every declaration checked. */
async function typeFaults(
  compiler: string,
  code: string,
  {
    types = [],
    file = 'program.mts',
    ...more
  }: { types?: string[]; file?: string; module?: string; lib?: string[]; verbatimModuleSyntax?: boolean } = {},
): Promise<string> {
  writeFileSync(path.join(folder, file), code)
  const compilerOptions = {
    ...STRICTEST,
    module: 'nodenext',
    ...more,
    target: 'es2023',
    noEmit: true,
    types,
    typeRoots: [path.resolve('node_modules/@types')],
  }
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }))
  const run = runAlone(process.execPath, [path.resolve(compiler)], { cwd: folder })
  return run.catch(({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr)
}

await t.test('the tarball has what is built and nothing else', (t) => {
  const installed = path.join(folder, 'node_modules/@employee-ledger/client')
  const sources = globSync(['clients/typescript/{*,send/*}.ts', 'src/{spreadsheets,text}/**/*.ts'])
  const declared = Object.keys(declarations).map((name) => `clients/typescript/${name}`)
  const built = sources
    .map((name) => name.replace(/ts$/, name.endsWith('/api-types.ts') ? 'd.ts' : 'js'))
    .concat(declared)
    .flatMap((name) => (name.endsWith('.d.ts') ? [name, name.replace(/ts$/, 'cts')] : [name]))
    .concat('clients/typescript/employee-ledger-client.cjs')
  t.strictSame(readdirSync(installed).toSorted(), ['LICENSE', 'README.md', 'dist', 'package.json'])
  t.strictSame(globSync('**/*.*', { cwd: path.join(installed, 'dist') }).toSorted(), built.toSorted())
  t.equal(readFileSync(path.join(installed, 'LICENSE'), 'utf8'), readFileSync('LICENSE', 'utf8'))
  t.end()
})

await t.test('the service hands it out, the same each time, to whoever asks', async (t) => {
  const packages = await Promise.all([1, 2].map(() => fetch(`${service.address}/client.tgz`)))
  for (const answer of packages) {
    t.match([answer.status, answer.headers.get('content-type')], [200, 'application/gzip'])
    t.ok(Buffer.from(await answer.arrayBuffer()).equals(packClient(readSources())))
  }
})

await t.test('its version is the one of the service, and its dependencies are those that the tests have', (t) => {
  const [own, service] = [manifestOf('clients/typescript'), manifestOf('.')]
  t.equal(own.version, service.version)
  for (const [name, range] of Object.entries(own.dependencies))
    t.equal(range, `^${service.dependencies[name] ?? service.devDependencies[name]}`)
  t.end()
})

const COMPILERS = ['node_modules/typescript/bin/tsc', 'node_modules/@typescript/typescript6/bin/tsc6']

await t.test('a program in strict TypeScript uses it, with the types of Node or those of a browser', async (t) => {
  const program = `
    import { createEmployeeClient, verifyWebhook, type Employee, type ErrorCode } from '@employee-ledger/client'
    const client = createEmployeeClient({ baseUrl: '', apiId: '', apiKey: '' })
    const { employees } = await client.create([{ first_name: 'A', last_name: 'B', email: 'a@example.com' }])
    const version: number = employees[0]!.version
    for await (const employee of client.employees({ status: 'active' })) employee satisfies Employee
    for await (const { first, results } of client.upsertAll([{ external_id: '1', job_title: null }]))
      results[first]!.result satisfies 'created' | 'synced' | 'no_updates' | 'reactivated' | 'deactivated'
    const code: ErrorCode = 'validation_failed'
    const { type, data } = verifyWebhook('', new Headers(), [''])
  `
  for (const compiler of COMPILERS)
    for (const types of [['node'], []]) t.equal(await typeFaults(compiler, program, { types }), '', compiler)
})

await t.test('a program in CommonJS uses it, and TypeScript knows, whichever kind of module it is told', async (t) => {
  const typed = `
    import { createEmployeeClient, NotFoundError, type Employee } from '@employee-ledger/client'
    export const read = async (id: string): Promise<Employee | null> =>
      createEmployeeClient({ baseUrl: '', apiId: '', apiKey: '' }).get(id).catch((error: unknown) => {
        if (error instanceof NotFoundError) return null
        throw error
      })
  `
  for (const compiler of COMPILERS)
    for (const module of ['node16', 'nodenext'])
      t.equal(
        await typeFaults(compiler, typed, { file: 'program.cts', module, verbatimModuleSyntax: false }),
        '',
        `${compiler} ${module}`,
      )
  const code = `const client = require('@employee-ledger/client')
    import('@employee-ledger/client').then((same) => console.log(same.NotFoundError === client.NotFoundError))`
  writeFileSync(path.join(folder, 'program.cjs'), code)
  t.equal(await runAlone(process.execPath, ['program.cjs'], { cwd: folder }), 'true\n')
})

await t.test('its declarations need no types of Node', async (t) => {
  const code = "export type * from '@employee-ledger/client'"
  for (const compiler of COMPILERS) t.equal(await typeFaults(compiler, code, { lib: ['es2023'] }), '', compiler)
})

await t.test('what the API would refuse is a fault of type', async (t) => {
  const faulty = [
    ["client.create([{ firstname: 'A' }])", 'firstname'],
    ["client.upsert([{ external_id: '1', jobtitle: 'x' }])", 'jobtitle'],
    ["client.update('emp_1', { email: 7 })", 'number'],
    ["client.list({ status: 'gone' })", 'gone'],
    ['client.get(1)', 'number'],
  ] as const
  const code = [
    "import type { EmployeeClient } from '@employee-ledger/client'",
    ...faulty.map(([call], at) => `export const run${at} = (client: EmployeeClient) => ${call}`),
  ]
  const faults = (await typeFaults(COMPILERS[0]!, code.join('\n'), { types: ['node'] })).split(/\n(?=program)/)
  for (const [at, [call, told]] of faulty.entries()) {
    const itsFaults = faults.filter((fault) => fault.startsWith(`program.mts(${at + 2},`))
    t.match(itsFaults[0], /^program\.mts\(\d+,\d+\): error/, call)
    t.match(itsFaults.join('\n'), told)
  }
})

await t.test('a program in JavaScript uses it, and prints no secret', async (t) => {
  const { api_id: apiId, api_key: apiKey } = service.company.key
  const settings = JSON.stringify({ baseUrl: service.address, apiId, apiKey })
  writeFileSync(
    path.join(folder, 'program.mjs'),
    `import { createEmployeeClient, NotFoundError } from '@employee-ledger/client'
    const client = createEmployeeClient(${settings})
    console.log(client)
    try { await client.get('emp_unknown') } catch (error) { console.log(error instanceof NotFoundError, error) }
    console.log((await client.verifyKey()).company_name)`,
  )
  const stdout = await runAlone(process.execPath, ['program.mjs'], { cwd: folder })
  t.match(stdout, /^EmployeeClient \{\}\ntrue NotFoundError: [^]+\nAcme\n$/)
  t.notMatch(stdout, apiKey)
})

await t.test('the examples of the README have no fault of type, and do what they say', async (t) => {
  const code = `${examples.join('\n')}\nexport { receiver }\n`
  t.equal(await typeFaults(COMPILERS[0]!, code, { types: ['node'] }), '')
  const { api_id, api_key } = service.company.key
  const secret = `whsec_${Buffer.alloc(24, 1).toString('base64')}`
  const settings = { API_URL: service.address, API_ID: api_id, API_KEY: api_key, PORT: '0' }
  const secrets = { WEBHOOK_SECRET: secret, ADMIN_TOKEN: service.company.admin.token }
  t.intercept(process, 'env', { value: { ...process.env, ...settings, ...secrets } })
  const printed = t.capture(console, 'log')
  const complained = t.capture(console, 'error')
  await service.project()
  const { receiver } = (await import(path.join(folder, 'program.mts'))) as { receiver: Server }
  t.teardown(() => receiver.close())
  const lines = printed().map(({ args }) => args.join(' '))
  t.match(lines, [
    'Acme: 1 of 1000000 requests used',
    '2 deactivated created',
    '0 synced 0',
    '1 failed 1',
    '1000 records from 0: 0 was created',
    '500 records from 1000: 1000 was created',
  ])
  t.strictSame(
    complained().map(({ args }) => args.slice(0, 2)),
    [[0, '/0/email']],
  )

  if (!receiver.listening) await once(receiver, 'listening')
  const address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  const message = JSON.stringify({ type: 'employee.created', timestamp: '2026-11-22T12:00:00.000Z', data: { a: 1 } })
  const at = new Date()
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign('msg_1', at, message),
  }
  t.equal((await fetch(address, { method: 'POST', headers, body: message })).status, 204)
  t.equal((await fetch(address, { method: 'POST', headers, body: `${message} ` })).status, 401)
  t.strictSame(printed()[0]?.args, ['2026-11-22T12:00:00.000Z', { a: 1 }])
})

await t.test('its command says its version', async (t) => {
  const printed = await runAlone('npx', ['--offline', 'employee-ledger-client', '--version'], { cwd: folder })
  t.equal(printed, `${manifestOf('clients/typescript').version}\n`)
})

await t.test('npx runs its command, which sends a file, also a workbook', async (t) => {
  writeFileSync(path.join(folder, 'staff.csv'), 'First name,last_name,email\nAna,Perez,packed@example.com\n')
  writeFileSync(path.join(folder, 'api.key'), service.company.key.api_key)
  const settings = ['--url', service.address, '--id', service.company.key.api_id, '--key-file', 'api.key']
  const command = ['--offline', 'employee-ledger-client', 'send', 'staff.csv', ...settings]
  t.equal(
    await runAlone('npx', command, { cwd: folder }),
    'staff.csv: 1 records sent: 1 created, 0 changed, 0 unchanged\n',
  )
  const book = utils.book_new()
  const rows = [
    ['first_name', 'last_name', 'email'],
    ['Ana', 'Perez', 'workbook@example.com'],
  ]
  utils.book_append_sheet(book, utils.aoa_to_sheet(rows), 'Staff')
  writeFileSync(path.join(folder, 'staff.xlsx'), write(book, { type: 'buffer' }) as Buffer)
  t.equal(
    await runAlone('npx', command.with(3, 'staff.xlsx'), { cwd: folder }),
    'staff.xlsx: 1 records sent: 1 created, 0 changed, 0 unchanged\n',
  )
})
