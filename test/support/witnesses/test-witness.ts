import { createPublicKey, verify } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import type { Test } from 'tap'
import { isConsistentByRfc9162 } from './consistency.ts'
import type { WitnessKey } from './cosign.ts'
import { cosign, makeWitnessKey } from './cosign.ts'

interface Head {
  size: number
  root: Buffer
}

interface Refusal {
  status: number
  body?: string
}

/** A witness after https://c2sp.org/tlog-witness that remembers what it has cosigned, and cosigns no fork. */
export interface TestWitness {
  url: string
  key: WitnessKey
  /** The settings of a service with this witness alone. */
  settings: { WITNESS_URLS: string; WITNESS_KEYS: string; OUTGOING_PRIVATE: string }
  /** What it has cosigned last, by origin. */
  heads: Map<string, Head>
  /** The sizes of the checkpoints that it was sent, with the old sizes. */
  requests: { old: number; size: number }[]
  /** Answers the next requests in its place; `judge` is what an honest witness would do. */
  answer: ((response: ServerResponse, judge: () => string | Refusal) => unknown) | null
  /** Lets it know a ledger, by the verifier key that signs its checkpoints. */
  know(verifierKey: string): void
  close(): void
}

/** Starts a witness on this machine. */
export async function startWitness(t: Pick<Test, 'teardown'>, name: string): Promise<TestWitness> {
  const key = makeWitnessKey(`witness.example/${name}`)
  const logs = new Map<string, string>()
  const server = createServer((request, response) => void receive(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${name}`

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readText(request)
    if (request.method !== 'POST' || request.url !== `/${name}/add-checkpoint`) {
      response.writeHead(404).end()
      return
    }
    const judge = () => judgeRequest(body)
    if (witness.answer) void witness.answer(response, judge)
    else sendVerdict(response, judge())
  }

  function judgeRequest(body: string): string | Refusal {
    const submission = parseRequest(body)
    if (!submission) return { status: 400 }
    const { old, proof, text, origin, head, signatures } = submission
    witness.requests.push({ old, size: head.size })
    const logKey = logs.get(origin)
    if (logKey === undefined) return { status: 404 }
    if (!signatures.some((line) => isSignedBy(logKey, text, line))) return { status: 403 }
    if (old > head.size) return { status: 400 }
    const last = witness.heads.get(origin)
    if (old !== (last?.size ?? 0)) return { status: 409, body: `${last?.size ?? 0}\n` }
    if (old === head.size && last && !last.root.equals(head.root)) return { status: 409, body: `${old}\n` }
    const isProven = last && old > 0 ? isConsistentByRfc9162(last, head, proof) : proof.length === 0
    if (!isProven) return { status: 422 }
    witness.heads.set(origin, head)
    return cosign(text, key, BigInt(Math.floor(Date.now() / 1_000)))
  }

  const witness: TestWitness = {
    url,
    key,
    settings: { WITNESS_URLS: url, WITNESS_KEYS: key.verifierKey, OUTGOING_PRIVATE: '1' },
    heads: new Map(),
    requests: [],
    answer: null,
    know: (verifierKey) => void logs.set(verifierKey.split('+')[0]!, verifierKey),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
  t.teardown(() => witness.close())
  return witness
}

/** Sends a cosignature or a refusal. */
export function sendVerdict(response: ServerResponse, verdict: string | Refusal): void {
  if (typeof verdict === 'string') response.writeHead(200).end(verdict)
  else response.writeHead(verdict.status, { 'content-type': 'text/x.tlog.size' }).end(verdict.body ?? '')
}

function parseRequest(body: string) {
  const form =
    /^old (0|[1-9][0-9]*)\n((?:[A-Za-z0-9+/]{43}=\n){0,63})\n(([^\n]+)\n(0|[1-9][0-9]*)\n([A-Za-z0-9+/]{43}=)\n)\n((?:— \S+ \S+\n)+)$/
  const [, old, proof, text, origin, size, root, lines] = form.exec(body) ?? []
  if (lines === undefined) return null
  return {
    old: Number(old),
    proof: proof!
      .split('\n')
      .slice(0, -1)
      .map((hash) => Buffer.from(hash, 'base64')),
    text: text!,
    origin: origin!,
    head: { size: Number(size), root: Buffer.from(root!, 'base64') },
    signatures: lines.split('\n').slice(0, -1),
  }
}

function isSignedBy(verifierKey: string, text: string, line: string): boolean {
  const [, name, id, encoded] = /^(\S+?)\+([0-9a-f]{8})\+(\S+)$/.exec(verifierKey)!
  const [, signer, signature] = /^— (\S+) (\S+)$/.exec(line)!
  const bytes = Buffer.from(signature!, 'base64')
  if (signer !== name || bytes.subarray(0, 4).toString('hex') !== id) return false
  const der = Buffer.concat([
    Buffer.from('302a300506032b6570032100', 'hex'),
    Buffer.from(encoded!, 'base64').subarray(1),
  ])
  return verify(null, Buffer.from(text), createPublicKey({ key: der, format: 'der', type: 'spki' }), bytes.subarray(4))
}
