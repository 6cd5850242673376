import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { apiTypesOf } from '../../../docs/openapi/api-types-of.ts'
import { currentDocument } from '../../../docs/openapi/current-document.ts'
import { runAlone } from '../../support/processes/installed-client.ts'
import { startService } from '../../support/service.ts'

/* Clients that public generators make from the document, with the settings that the generators have by default. */

const service = await startService(t)
const folder = t.testdir({ 'package.json': '{ "type": "commonjs" }' })
const { address: baseUrl, company } = service
const ofKey = { 'x-api-id': company.key.api_id, 'x-api-key': company.key.api_key }
const ofAdmin = { authorization: `Bearer ${company.admin.token}` }

/** What both programs export. */
interface Program {
  run: (baseUrl: string, ofKey: object, ofAdmin: object) => Promise<string[]>
}

/** Compiles a program of the folder without any fault of type, and runs it. */
async function compileAndRun(name: string): Promise<string[]> {
  const compilerOptions = {
    strict: true,
    target: 'es2022',
    module: 'nodenext',
    outDir: `${name}/built`,
    rootDir: name,
    lib: ['es2022', 'dom', 'dom.iterable'],
    types: [],
  }
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: [name] }))
  const compiler = path.resolve('node_modules/typescript/bin/tsc')
  const faults = await runAlone(process.execPath, [compiler], { cwd: folder }).catch(
    (error: { stdout: string; stderr: string }) => error.stdout + error.stderr,
  )
  if (faults !== '') throw new Error(faults)
  const { run } = (await import(pathToFileURL(path.join(folder, name, 'built/program.js')).href)) as Program
  return run(baseUrl, ofKey, ofAdmin)
}

/** What the programs return: an id, a log id, the lines of the events, the name of a key, and a result. */
const EXPECTED = [/^emp_/, /^log_/, /^(\{"envelope":".*\}\n)+$/, /^Generated$/, /^synced$/] as const

await t.test('openapi-typescript: its client needs no narrowing and no defaults', async (t) => {
  mkdirSync(path.join(folder, 'openapi-typescript'))
  writeFileSync(path.join(folder, 'openapi-typescript/api-types.ts'), await apiTypesOf(await currentDocument()))
  const program = `
    import createClient from 'openapi-fetch'
    import type { components, paths } from './api-types'
    export async function run(baseUrl: string, ofKey: Record<string, string>, ofAdmin: Record<string, string>) {
      const { GET, POST, PUT } = createClient<paths>({ baseUrl })
      const ana = { first_name: 'Ana', last_name: 'Perez', email: 'ana.openapi-fetch@example.com' }
      const created = await POST('/v1/employees', { headers: ofKey, body: ana })
      const key = await POST('/admin/v1/api-keys', { headers: ofAdmin, body: { name: 'Generated' } })
      const changed = await PUT('/v1/employees', { headers: ofKey, body: [{ email: ana.email, job_title: 'Lead' }] })
      // @ts-expect-error: there is no such field
      const faulty: components['schemas']['EmployeeUpsert'] = { email: ana.email, jobtitle: 'Lead' }
      const query = { format: 'proof' } as const
      const events = await GET('/audit/v1/events', { headers: ofAdmin, params: { query }, parseAs: 'text' })
      const lines: string | undefined = events.data
      return [
        created.data?.employees[0]?.id, created.data?.log_id, lines, key.data?.name, changed.data?.results[0]?.result,
      ]
    }`
  writeFileSync(path.join(folder, 'openapi-typescript/program.ts'), program)
  t.match(await compileAndRun('openapi-typescript'), EXPECTED)
})
