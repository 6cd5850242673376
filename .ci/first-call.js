/*
 * Follows the README on the Node.js and the npm that a user may have: installs, starts, makes a call, and finds its
 * entry in Bulk User Logs. It does so in a clone of the last commit, or with `--here` in this checkout, whose packages
 * are installed anew then.
 *
 *     node .ci/first-call.js NODE_VERSION NPM_VERSION [--here]
 *
 * Plain JavaScript, because it may itself run on an older Node.js.
 */
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'

const [nodeVersion, npmVersion, where] = process.argv.slice(2)
if (!nodeVersion || !npmVersion || (where && where !== '--here'))
  throw new Error('usage: node .ci/first-call.js NODE_VERSION NPM_VERSION [--here]')

const folder = mkdtempSync(path.join(os.tmpdir(), 'first-call-'))
// The embedded PostgreSQL runs as a user of its own.
chmodSync(folder, 0o755)
try {
  await followReadme()
  process.stdout.write(`first call: works with Node.js ${nodeVersion} and npm ${npmVersion}\n`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function followReadme() {
  const env = installTools()
  const cwd = where ? process.cwd() : cloneCheckout()
  execFileSync('npm', ['ci'], { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] })
  const service = spawn('npm', ['start'], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'], detached: true })
  const closed = new Promise((resolve) => service.once('close', resolve))
  try {
    await isReady(service)
    await makeFirstCall(JSON.parse(readFileSync(path.join(folder, 'data/demo-credentials.json'), 'utf8')))
  } finally {
    // As Ctrl-C does, to the whole group: npm 9 passes no signal on.
    process.kill(-service.pid, 'SIGINT')
    // npm may end before the service, which still needs its folder.
    service.stdout.resume()
    await closed
  }
}

/** Returns the folder of a clone of this checkout. */
function cloneCheckout() {
  const clone = path.join(folder, 'clone')
  execFileSync('git', ['clone', '--quiet', process.cwd(), clone])
  return clone
}

/** Installs the wanted Node.js and npm, and returns an environment in which nothing else is found before them. */
function installTools() {
  const node = `node-linux-${process.arch}`
  const tools = path.join(folder, 'tools')
  const packages = [`${node}@${nodeVersion}`, `npm@${npmVersion}`]
  execFileSync('npm', ['install', '--silent', '--prefix', tools, ...packages], { stdio: 'inherit' })
  // An npm that runs this script has put its own packages first, and its settings into variables.
  const entries = (process.env.PATH ?? '').split(':').filter((entry) => !entry.includes('node_modules'))
  const PATH = [`${tools}/node_modules/${node}/bin`, `${tools}/node_modules/.bin`, ...entries].join(':')
  const variables = Object.entries(process.env).filter(([name]) => !name.startsWith('npm_'))
  const settings = { PATH, DATA_DIR: path.join(folder, 'data'), HOST: '127.0.0.1', PORT: '0' }
  const env = { ...Object.fromEntries(variables), ...settings }
  for (const [command, version] of [
    ['node', `v${nodeVersion}`],
    ['npm', npmVersion],
  ]) {
    const answer = execFileSync(command, ['--version'], { env, encoding: 'utf8' }).trim()
    if (answer !== version) throw new Error(`${command} is ${answer}, not ${version}`)
  }
  return env
}

/** Waits until the service says that it listens. */
async function isReady(service) {
  const lines = []
  for await (const line of createInterface({ input: service.stdout })) {
    lines.push(line)
    if (line.startsWith('The credentials are saved')) return
  }
  throw new Error(`npm start ended:\n${lines.join('\n')}`)
}

async function makeFirstCall({ base_url: address, api_id: id, api_key: key, admin }) {
  const created = await fetch(`${address}/v1/employees`, {
    method: 'POST',
    headers: { 'x-api-id': id, 'x-api-key': key, 'content-type': 'application/json' },
    body: '{"first_name":"Ana","last_name":"Perez","email":"ana.perez@example.com"}',
  })
  const { log_id: logId } = await created.json()
  if (created.status !== 201) throw new Error(`the call was answered with ${created.status}`)
  const entry = `${address}/admin/v1/bulk-user-logs/${logId}`
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const answer = await fetch(entry, { headers: { authorization: `Bearer ${admin.token}` } })
    if (answer.ok && (await answer.json()).status === 'Completed') return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('the call has no entry in Bulk User Logs after 30 s')
}
