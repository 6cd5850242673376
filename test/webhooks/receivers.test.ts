import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import t, { type Test } from 'tap'
import { PING_TYPE, WEBHOOK_TYPES } from '../../src/domain/webhook-types.ts'
import { signMessage } from '../../src/delivery/webhooks/message-posting.ts'
import { eventually } from '../support/eventually.ts'
import { hasPython } from '../support/ledger/both-verifiers.ts'
import { freePort } from '../support/processes/free-port.ts'

/* The receivers in docs/webhooks.md, run as they stand there, and its examples of messages. */

const page = readFileSync('docs/webhooks.md', 'utf8')
const blockOf = (language: string) => new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'm').exec(page)![1]!

const RECEIVERS = [
  { name: 'Node.js', block: blockOf('js'), file: 'receiver.mjs', program: process.execPath, isThere: true },
  { name: 'Python', block: blockOf('python'), file: 'receiver.py', program: 'python3', isThere: hasPython() },
]

const ID = 'msg_01m7wzr4ntenes07wrfrz07h48_7'
const BODY = '{"type":"employee.updated","timestamp":"2026-11-20T15:01:40.325Z","data":{"changed":["é🙂"]}}'
const makeSecret = () => `whsec_${randomBytes(32).toString('base64')}`
const now = () => Math.floor(Date.now() / 1_000)

interface Sent {
  secrets: string[]
  at?: number
  body?: string
  headers?: Record<string, string>
}

for (const { name, block, file, program, isThere } of RECEIVERS) {
  await t.test(
    `the receiver in ${name} accepts our messages, and nothing else`,
    { skip: !isThere && `there is no ${program} here` },
    async (t) => {
      const secret = makeSecret()
      const receiver = await startProgram(t, { block, file, program, secret })
      const send = async ({ secrets, at = now(), body = BODY, headers = {} }: Sent) => {
        const signature = signMessage(secrets, ID, at, BODY)
        const signed = { 'webhook-id': ID, 'webhook-timestamp': String(at), 'webhook-signature': signature, ...headers }
        const answer = await fetch(receiver.url, { method: 'POST', headers: signed, body })
        return answer.status
      }
      t.equal(await send({ secrets: [secret] }), 204)
      t.equal(await send({ secrets: [makeSecret(), secret] }), 204, 'it has the previous secret')
      t.equal(await send({ secrets: [secret, makeSecret()] }), 204, 'it has the new secret')

      t.equal(await send({ secrets: [makeSecret()] }), 401, 'signed with another secret')
      t.equal(await send({ secrets: [secret], body: BODY.replace('updated', 'created') }), 401, 'another body')
      t.equal(await send({ secrets: [secret], body: '' }), 401, 'no body')
      t.equal(await send({ secrets: [secret], at: now() - 600 }), 401, 'an old message')
      for (const signature of ['', 'v1,', 'é'.repeat(47), `v2,${'A'.repeat(44)}`])
        t.equal(await send({ secrets: [secret], headers: { 'webhook-signature': signature } }), 401, signature)
      t.equal(await send({ secrets: [secret], headers: { 'webhook-id': 'msg_other' } }), 401, 'another id')
      t.equal((await fetch(receiver.url, { method: 'POST', body: BODY })).status, 401, 'no headers')

      await sendHalf(receiver.url)
      t.equal(await send({ secrets: [secret] }), 204, 'it survives a request that breaks off')
      await eventually('all accepted messages are printed', async () => receiver.lines().length === 4)
      t.strictSame(new Set(receiver.lines()), new Set([`${ID} ${BODY}`]))
    },
  )
}

await t.test('a receiver has at most 15 lines', (t) => {
  for (const { name, block } of RECEIVERS) {
    const lines = block.split('\n').filter((line) => line.trim() !== '')
    t.ok(lines.length <= 15, `${name}: ${lines.length}`)
  }
  t.end()
})

await t.test('the page has an example of each type of message', (t) => {
  const examples = blockOf('json')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; timestamp: string; data: { position: number } })
  t.strictSame(examples.map(({ type }) => type).toSorted(), WEBHOOK_TYPES.toSorted())
  for (const { timestamp, data } of examples) {
    t.equal(new Date(timestamp).toISOString(), timestamp)
    t.ok(data.position > 0)
  }
  for (const type of [...WEBHOOK_TYPES, PING_TYPE]) t.ok(page.includes(`\`${type}\``), type)
  t.end()
})

interface Program {
  block: string
  file: string
  program: string
  secret: string
}

/** Runs a receiver on a free port, and waits until it listens. */
async function startProgram(t: Test, { block, file, program, secret }: Program) {
  const port = await freePort()
  t.ok(block.includes('8080'))
  const script = path.join(t.testdir(), file)
  writeFileSync(script, block.replace('8080', String(port)))
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], WEBHOOK_SECRET: secret, PYTHONUTF8: '1' }
  const child = spawn(program, [script], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  t.teardown(async () => {
    child.kill()
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => (output[name] += text))
  await eventually('the receiver listens', async () => {
    if (child.exitCode !== null) throw new Error(`it ended: ${output.stderr}`)
    return canConnect(port)
  })
  return { url: `http://127.0.0.1:${port}/`, lines: () => output.stdout.split('\n').slice(0, -1) }
}

async function canConnect(port: number): Promise<boolean> {
  const socket = net.connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/** Sends a part of a request, and breaks off. */
async function sendHalf(url: string): Promise<void> {
  const socket = net.connect(Number(new URL(url).port), '127.0.0.1')
  await once(socket, 'connect')
  await new Promise((resolve) => {
    socket.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n{', resolve)
  })
  socket.resetAndDestroy()
  await once(socket, 'close')
}
