import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import type { OpenApiDocument } from '../../../src/http/openapi/build-document.ts'
import { operationsOf } from '../../support/http/api-document.ts'
import { browse, cookieOf } from '../../support/http/sessions.ts'
import { startService } from '../../support/service.ts'

/* The samples of the API reference run as they are on the page. */

const run = promisify(execFile)
const service = await startService(t)
const document: OpenApiDocument = (await service.call('GET', '/openapi.json')).body
const folder = t.testdir({})
const { api_id: API_ID, api_key: API_KEY } = service.company.key
const { admin } = service.company
const [, SESSION] = (await cookieOf(service, admin)).split('=')
const ENVIRONMENT = { API_URL: service.address, API_ID, API_KEY, API_TOKEN: admin.token, SESSION: SESSION! }

const CHARACTERS: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', '#39': "'" }

/** The samples of a page by their language. */
async function samplesOf(operationId: string): Promise<Record<string, string>> {
  const { text } = await browse(service, `/docs/${operationId}`, { cookie: null })
  const found = text.matchAll(/<summary>(curl|TypeScript|Python)<\/summary>\s*<pre><code>([^]*?)<\/code><\/pre>/g)
  return Object.fromEntries(
    [...found].map(([, language, code]) => [
      language,
      code!
        .replaceAll(/&(lt|gt|amp|quot|#39);/g, (_, name: string) => CHARACTERS[name]!)
        .replaceAll('{password}', admin.password),
    ]),
  )
}

/** The answers that a sample may get: what it names may not exist, or no longer. */
const FOR_EXAMPLES = new Set([404, 409, 412, 422])
const isStream = (id: string) => ['streamBulkUserLogs', 'followEvents'].includes(id)

/** The calls that end what others need come last. */
const rankOf = (id: string) => (/^(?:revoke|remove|erase|disable)/.test(id) ? 1 : 0)
const operations = operationsOf(document).toSorted(
  (a, b) => rankOf(a.operation.operationId) - rankOf(b.operation.operationId),
)

function isAccepted(
  status: number,
  { operationId, responses, security }: { operationId: string; responses: object; security: readonly object[] },
): boolean {
  if (operationId === 'issueToken') return status === 201
  // Without credentials, the example of a token is refused.
  const isRefusal = FOR_EXAMPLES.has(status) || (status === 401 && security.length === 0)
  return String(status) in responses && (status < 300 || isRefusal)
}

for (const { operation } of operations) {
  const { operationId: id } = operation
  await t.test(`the curl sample of ${id} runs`, async (t) => {
    const { curl = '' } = await samplesOf(id)
    const script = `${curl} --silent --show-error ${curl.includes('--output') ? '' : '--output /dev/null'} --write-out '%{http_code}' ${isStream(id) ? '--max-time 1 || true' : ''}`
    const { stdout } = await run('sh', ['-c', script], {
      cwd: folder,
      env: { ...ENVIRONMENT, PATH: process.env['PATH'] },
    })
    t.ok(isAccepted(Number(stdout), operation), `${stdout} for ${curl}`)
  })
}

await t.test('the TypeScript samples run', async (t) => {
  const all = operations.filter(({ operation }) => !isStream(operation.operationId))
  const samples = await Promise.all(all.map(({ operation }) => samplesOf(operation.operationId)))
  for (const [at, { operation }] of all.entries()) {
    const { operationId: id } = operation
    writeFileSync(path.join(folder, `${id}.mts`), samples[at]!['TypeScript']!)
  }
  writeFileSync(
    path.join(folder, 'all.mts'),
    all
      .map(({ operation }) => `console.log('${operation.operationId}')\nawait import('./${operation.operationId}.mts')`)
      .join('\n'),
  )
  const { stdout } = await run('env', [
    '-i',
    `--chdir=${folder}`,
    ...Object.entries(ENVIRONMENT).map((pair) => pair.join('=')),
    process.execPath,
    path.join(folder, 'all.mts'),
  ])
  for (const { operation } of all) {
    const [, status] = new RegExp(`^${operation.operationId}\n(\\d{3})`, 'm').exec(stdout) ?? []
    t.ok(isAccepted(Number(status), operation), `${operation.operationId}: ${status}`)
  }
})

/** A stand-in for the package requests, which need not be installed here: it sends with what Python has. */
const REQUESTS = `
import json as encoder
import urllib.request
import urllib.error

class Response:
    def __init__(self, status, body):
        self.status_code = status
        self.content = body
        self.text = body.decode(errors="replace")
    def json(self):
        return encoder.loads(self.text)

def send(method, url, headers={}, json=None):
    data = None if json is None else encoder.dumps(json).encode()
    given = {"content-type": "application/json", **headers} if data else headers
    request = urllib.request.Request(url, data=data, headers=given, method=method)
    try:
        with urllib.request.urlopen(request) as answer:
            return Response(answer.status, answer.read())
    except urllib.error.HTTPError as error:
        return Response(error.code, error.read())

def get(*args, **more): return send("GET", *args, **more)
def post(*args, **more): return send("POST", *args, **more)
def put(*args, **more): return send("PUT", *args, **more)
def patch(*args, **more): return send("PATCH", *args, **more)
def delete(*args, **more): return send("DELETE", *args, **more)
`

/** Runs the programs that it is given one after the other, each as a program of its own, and names each before. */
const RUN_ALL = `
import runpy
import sys
for name in sys.argv[1:]:
    print(name)
    runpy.run_path(name + ".py", run_name="__main__")
`

await t.test('the Python samples run', async (t) => {
  const python = path.join(folder, 'python')
  mkdirSync(python, { recursive: true })
  writeFileSync(path.join(python, 'requests.py'), REQUESTS)
  writeFileSync(path.join(python, 'all.py'), RUN_ALL)
  const all = operations.filter(({ operation }) => !isStream(operation.operationId))
  for (const { operation } of all) {
    const { Python = '' } = await samplesOf(operation.operationId)
    writeFileSync(path.join(python, `${operation.operationId}.py`), Python)
  }
  const { stdout } = await run('python3', ['all.py', ...all.map(({ operation }) => operation.operationId)], {
    cwd: python,
    env: { ...ENVIRONMENT, PATH: process.env['PATH'], PYTHONIOENCODING: 'utf-8' },
    maxBuffer: 64 * 1024 * 1024,
  })
  for (const { operation } of all) {
    const { operationId: id } = operation
    const [, printed = ''] = new RegExp(`^${id}\n(.{0,200})`, 'ms').exec(stdout) ?? []
    t.ok(isAccepted(Number(printed.slice(0, 3)), operation), `${id}: ${printed}`)
  }
})
