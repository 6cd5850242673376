import { randomUUID } from 'node:crypto'
import t from 'tap'
import { readConfig } from '../../src/config.ts'
import { newId } from '../../src/ledger/new-id.ts'
import { writeContent, writeStoredRow } from '../../src/ledger/uploads/read-uploads.ts'
import { storeUpload } from '../../src/ledger/uploads/store-upload.ts'
import { isCaughtUp } from '../support/caught-up.ts'
import { eventually } from '../support/eventually.ts'
import { fuzzedRoutes } from '../fuzz/fuzzed-routes.ts'
import type { DistantAnswer } from '../support/http/distant-client.ts'
import { startDistantClient } from '../support/http/distant-client.ts'
import { cookieOf, OWN_PAGE } from '../support/http/sessions.ts'
import { inputs } from '../support/quick.ts'
import { watchEventLoop } from '../support/processes/event-loop-watchdog.ts'
import type { Service } from '../support/service.ts'
import { startService } from '../support/service.ts'
import type { Ground, NamedRequest } from './largest-requests.ts'
import { fullBodies, hostileBodies, requestsTo } from './largest-requests.ts'

/*
 * No request takes the event loop for long, and neither does the work that follows it in the background: a watchdog in
 * the process that does both measures the CPU time between two turns, while a client in another thread sends the largest
 * requests to all routes.
 */

const MIB = 1_048_576
/**
 * Several times what a request may take, in milliseconds of CPU time, so that no slow machine fails: where two threads
 * share a core, or other programs the caches, the same work takes twice as long, and a collection of garbage may come in
 * between. The least of some tries counts, because the first one compiles.
 */
const SIZES = [
  {
    name: 'default',
    settings: {},
    records: readConfig({}).MAX_RECORDS,
    bytes: 8 * MIB,
    // The largest creation and refusal have all bytes in the gate, too.
    otherBytes: inputs(2, 8) * MIB,
    // Bodies are read in pieces that are as large, whatever their number.
    hostileBytes: inputs(2, 8) * MIB,
    maxWorkMs: 250,
  },
  {
    name: 'largest',
    settings: { MAX_RECORDS: '10000', BODY_LIMIT: String(64 * MIB) },
    records: 10_000,
    bytes: 64 * MIB,
    // As many records, of the size that most have. The default settings try records as large as fit, and their changes.
    otherBytes: 16 * MIB,
    // Enough for the most values that a body may have. The service reads a larger body in more pieces of the same size.
    hostileBytes: 20 * MIB,
    maxWorkMs: 500,
  },
] as const
const TRIES = 3
const PARTLY = '?all_or_none=false'
/** A body has no more values for each record that a call may have. */
const VALUES_PER_RECORD = 250

const WRITING = [
  ['POST', '/v1/employees'],
  ['PATCH', '/v1/employees'],
  ['PUT', '/v1/employees'],
  ['PATCH', '/v1/employees/emp_1'],
] as const

const watchdog = watchEventLoop()
t.teardown(() => watchdog.stop())

for (const { name: size, settings, records, bytes, otherBytes, hostileBytes, maxWorkMs } of SIZES.slice(
  0,
  inputs(1, SIZES.length),
)) {
  await t.test(`at the ${size} settings, no request takes the event loop for long`, async (t) => {
    const limitsOff = { SIGN_IN_LIMIT: '0', SIGN_IN_ADDRESS_LIMIT: '0', HEAVY_READS: '199' }
    const service = await startService(t, { ...limitsOff, ...settings }, { workers: true })
    const client = startDistantClient(t)
    const { key, admin, auditor } = service.company
    const keyHeaders = { 'x-api-id': key.api_id, 'x-api-key': key.api_key }
    const longest: { workMs: number; name: string }[] = []

    const folded = () => eventually('the workers have folded everything', () => isCaughtUp(service.db))
    /**
     * Sends a request and lets the workers finish what follows it, again if this took the event loop for long. Returns the
     * first answer: a creation is refused then.
     */
    const check = async ({ name, ...request }: NamedRequest): Promise<DistantAnswer> => {
      let [workMs, answer] = [Infinity, undefined as DistantAnswer | undefined]
      for (let attempt = 1; attempt <= TRIES && workMs > maxWorkMs; attempt += 1) {
        await client.prepare(request)
        await watchdog.read()
        const latest = await client.send()
        answer ??= latest
        if (isWriting(request)) await folded()
        workMs = Math.min(workMs, (await watchdog.read()).longestWorkMs)
      }
      longest.push({ workMs, name })
      if (workMs > maxWorkMs) t.fail(`${name} took the event loop for ${Math.round(workMs)} ms of CPU time`)
      return answer!
    }
    const call = (method: string, path: string, kind: string, body: Uint8Array, headers: Record<string, string> = {}) =>
      check({
        name: `${method} ${path} ${kind}`,
        method,
        url: service.address + path,
        headers: { ...keyHeaders, 'content-type': 'application/json', ...headers },
        body,
      })

    const largest = fullBodies(records, bytes - records * 16)
    // Each of these records takes milliseconds, so that fewer are far too many for a turn, too.
    const { longNames, namesOfMarks } = fullBodies(inputs(records / 5, records), 0)
    const full = {
      ...fullBodies(records, otherBytes - records * 16),
      longNames,
      namesOfMarks,
      largestCreation: largest.otherCreation,
      largestRefused: largest.refused,
    }
    const idempotent = { 'idempotency-key': randomUUID() }
    const answers: DistantAnswer[] = []
    const calls = [
      ['POST', '', 'creation', {}],
      ['POST', '', 'largestCreation', idempotent],
      ['PUT', '?validate_only=true', 'change', {}],
      ['PATCH', '', 'change', {}],
      ['POST', '', 'largestRefused', {}],
      ['POST', '', 'refusedOften', {}],
      ['POST', '', 'longNames', {}],
      ['POST', '', 'namesOfMarks', {}],
      ['POST', '', 'attributesOfMarks', {}],
      ['PUT', PARTLY, 'creationHalfWrong', {}],
      ['PUT', '', 'line', {}],
      ['PATCH', PARTLY, 'turnedLine', {}],
      // The gate tries those above, of which each takes another way.
      ['POST', '', 'largestCreation', idempotent],
      ['PATCH', '', 'change', {}],
      ['PUT', '', 'creation', {}],
      ['PATCH', '', 'refused', {}],
      ['POST', PARTLY, 'creationHalfWrong', { 'idempotency-key': randomUUID() }],
      ['PATCH', PARTLY, 'changeHalfWrong', {}],
      ['POST', PARTLY, 'creationBelowWrong', {}],
      ['PUT', PARTLY, 'turnedLine', {}],
    ] as const
    for (const [method, query, kind, headers] of calls.slice(0, inputs(12, calls.length)))
      answers.push(await call(method, `/v1/employees${query}`, `of a full ${kind}`, full[kind](), headers))
    t.strictSame(new Set(answers.map(({ status }) => status)), new Set([201, 200, 422]))
    // What was changed, refused, and refused often comes first.
    const shown = [3, 4, 5, 1, 6, 8, 10].slice(0, inputs(2, 7))
    const logs = shown.flatMap((at) => logIdsIn(answers[at]!.beginning))
    for (const [at, [kind, make]] of hostileBodies(hostileBytes - 4_000, VALUES_PER_RECORD * records).entries()) {
      // Reading a body is the same for all routes: they take turns.
      const [method, path] = WRITING[at % WRITING.length]!
      await call(method, path, kind, make(), { 'idempotency-key': randomUUID() })
    }

    await folded()
    const cookie = await cookieOf(service, admin)
    const [employee] = (await service.call('GET', '/v1/employees?limit=1')).body.items as { id: string }[]
    const ground: Ground = {
      address: service.address,
      headersOf({ kind }) {
        if (kind === 'public') return keyHeaders
        if (kind === 'page') return { ...OWN_PAGE, cookie }
        return { authorization: `Bearer ${kind === 'audit' ? auditor.token : admin.token}` }
      },
      params: {
        log_id: logs,
        'employees id': [employee!.id],
        company_id: [service.company.id],
        code: ['invalid_body'],
      },
      query: { call: logs, employee: ['ana.1@example.com'], email: ['ana.1@example.com'], external_id: ['E-1'] },
    }
    // Entries that changed everybody, that failed, and of which half was refused: looked at, and undone.
    for (const query of ['?validate_only=true', '?validate_only=true&all_or_none=false', PARTLY])
      for (const log of logs)
        await check({
          name: `POST /admin/v1/bulk-user-logs/${log}/undo${query}`,
          method: 'POST',
          url: `${service.address}/admin/v1/bulk-user-logs/${log}/undo${query}`,
          headers: { authorization: `Bearer ${admin.token}` },
          body: null,
        })
    await folded()
    await storeFile(service)
    for (const identifier of [{ external_id: 'E-3' }, { email: 'nobody@example.com' }].slice(0, inputs(1, 2)))
      for (const path of ['/admin/v1/personal-data-reports', '/admin/v1/erasures'])
        await check({
          name: `POST ${path} ${JSON.stringify(identifier)}`,
          method: 'POST',
          url: service.address + path,
          headers: { authorization: `Bearer ${admin.token}`, 'content-type': 'application/json' },
          body: Buffer.from(JSON.stringify(identifier)),
        })
    const routes = fuzzedRoutes(service.app.registeredRoutes).filter(({ isOwn }) => isOwn)
    t.ok(routes.length > WRITING.length)
    for (const route of routes) {
      // The signed-in user is needed to the end.
      if (/sign-out|sign-in/.test(route.url) && route.method === 'POST') continue
      for (const request of requestsTo(route, ground, size === 'default' ? inputs(1, Infinity) : 0))
        await check(request)
    }
    const [most] = longest.toSorted((one, other) => other.workMs - one.workMs)
    t.comment(`${longest.length} requests; the longest work of a turn: ${most!.workMs.toFixed(0)} ms, ${most!.name}`)
  })
}

/** Stores a file of 8 MiB, in one part, that nobody previews. */
async function storeFile({ pool, company }: Service): Promise<void> {
  const custom = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`k${at}`, 'x']))
  const rows = Array.from({ length: 40_000 }, (_, at) =>
    writeStoredRow({ row: at + 1, record: { external_id: `U-${at}`, custom_attributes: custom } }),
  )
  const upload = {
    companyId: company.id,
    id: newId('upl'),
    userId: company.admin.user_id,
    fileName: 'people.json',
    operation: 'upsert' as const,
    header: null,
    mapping: null,
    applying: null,
    isAllOrNone: true,
    linksByEmail: false,
    corrects: [],
    bytes: 8 * MIB,
    replaces: null,
    parts: [{ callId: newId('log'), firstRow: 1, rows: rows.length, content: Buffer.from(writeContent(rows)) }],
  }
  const isStored = await storeUpload(pool, upload, async () => undefined)
  if (!isStored) throw new Error('the file was not stored')
  await pool.query(`update uploads set state = 'previewed'`)
}

function isWriting({ method, url }: Pick<NamedRequest, 'method' | 'url'>): boolean {
  const { pathname } = new URL(url)
  return method !== 'GET' && (pathname.startsWith('/v1/') || pathname.endsWith('/undo'))
}

function logIdsIn(text: string): string[] {
  return [...text.matchAll(/log_[0-9a-z]{26}/g)].map(([id]) => id)
}
