import { hash, randomUUID, timingSafeEqual } from 'node:crypto'
import type { ManyOperation } from '../../src/domain/operations.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Fastify from 'fastify'
import type { PoolClient } from 'pg'
import { ConfigSchema } from '../../src/config.ts'
import { LOOK_UP_ONLY } from '../../src/postgres/connections.ts'
import { openPool, withClient, type Statement } from '../../src/postgres/pool.ts'
import type { CallRecords, ReadRecord, SentRecord } from '../../src/domain/calls/call-records.ts'
import { readRecord, readUpdateOf, recordOfOne, recordsOfMany } from '../../src/domain/calls/call-records.ts'
import { ALTERNATIVES } from '../../src/domain/attributes.ts'
import type { Employee } from '../../src/domain/employees/employee.ts'
import { attributesSet, evolve, patchEffect } from '../../src/domain/employees/employee.ts'
import { BEGIN, COMMIT, pipeline } from '../../src/postgres/pipeline.ts'
import type { LogRecord } from './crud-statements.ts'
import * as statements from './crud-statements.ts'

/*
 * The CRUD peer: a service without events, with a table of employees and a log of calls with a detail row per record,
 * written in one transaction. Validation, authentication, and quota are those of the service. Statements are pipelined
 * where possible. Arguments: the URL of the database and the number of connections.
 */

const MAX_RECORDS = ConfigSchema.properties.MAX_RECORDS.default
const BODY_LIMIT = ConfigSchema.properties.BODY_LIMIT.default
const [, , url, connections] = process.argv
// The settings of the service's own appends.
const pool = openPool({ url: url!, name: 'crud', max: Number(connections), settings: LOOK_UP_ONLY })
const app = Fastify({ bodyLimit: BODY_LIMIT, genReqId: () => randomUUID() })

interface Caller {
  api_id: string
  company_id: string
  secret_hash: Buffer
  is_enabled: boolean
}

class RefusedError extends Error {
  statusCode: number

  constructor(statusCode: number, code: string) {
    super(code)
    this.statusCode = statusCode
  }
}

app.decorateRequest('caller', null as never)
const callerOf = (request: FastifyRequest) => (request as unknown as { caller: Caller }).caller
app.addHook('onRequest', async (request) => {
  const { 'x-api-id': apiId, 'x-api-key': secret } = request.headers
  if (typeof apiId !== 'string' || typeof secret !== 'string') throw new RefusedError(401, 'invalid_credentials')
  const [caller] = (await pool.query<Caller>(statements.findKey(apiId))).rows
  const isRight = caller && timingSafeEqual(caller.secret_hash, hash('sha256', secret, 'buffer'))
  if (!isRight) throw new RefusedError(401, 'invalid_credentials')
  if (!caller.is_enabled && request.url !== '/v1/auth/verify') throw new RefusedError(403, 'key_disabled')
  Object.assign(request, { caller })
})

app.setErrorHandler(
  async (error: Error & { code?: string; constraint?: string; statusCode?: number }, _request, reply) => {
    if (error.code === '23505') return reply.code(409).send({ code: 'already_exists' })
    if (error.constraint === 'quota') return reply.code(429).send({ code: 'quota_exceeded' })
    return reply.code(error.statusCode ?? 500).send({ code: error.message })
  },
)

app.post('/v1/employees', async (request, reply) => {
  const records = readMany('create', request.body)
  const { api_id: apiId, company_id: companyId } = callerOf(request)
  const [logId, now] = [newId(), new Date().toISOString()]
  const created = records.map((record) => create(record, now))
  const employees = created.map(({ employee }) => employee)
  const details = created.map(({ employee, changes }, at): LogRecord => ({
    o: at,
    e: employee.id,
    s: null,
    d: changes,
  }))
  const counts = { total: records.length, updated: 0, deactivated: 0, no_updates: 0 }
  await withClient(pool, (client) =>
    sendPipelined(client, [
      BEGIN,
      statements.insertEmployees(companyId, employees),
      statements.insertLog({ companyId, logId, apiId, operation: 'create', requestId: request.id, now, counts }),
      statements.insertLogRecords(companyId, logId, details),
      statements.useQuota(apiId),
      COMMIT,
    ]),
  )
  return reply.code(201).send({ log_id: logId, employees })
})

app.patch<{ Params: { id: string } }>('/v1/employees/:id', async (request) => {
  const records = readAll(recordOfOne(request.body), (record) => readUpdateOf(record, request.params.id))
  const { logId, results } = await update(request, 'update_one', records)
  const [{ result, changed, employee }] = results as [Patched]
  return { log_id: logId, result, changed, employee }
})

app.patch('/v1/employees', async (request) => {
  const records = readMany('update_many', request.body)
  return updateMany(request, 'update_many', records)
})

app.put('/v1/employees', async (request) => {
  const records = readMany('upsert', request.body)
  return updateMany(request, 'upsert', records)
})

app.get('/v1/auth/verify', async (request: FastifyRequest, reply: FastifyReply) =>
  reply.send((await pool.query(statements.noteUse(callerOf(request).api_id))).rows[0]),
)

/** An employee after a patch, and the changes. */
type Patched = ReturnType<typeof applyPatch>

function create(record: ReadRecord, now: string) {
  const attributes = attributesSet(record.patch)
  if (ALTERNATIVES.some((names) => !names.some((name) => attributes[name]))) {
    throw new RefusedError(422, 'validation_failed')
  }
  const fact = { stream: newId(), version: 1, recorded_at: now }
  const employee = evolve(undefined, { ...fact, type: 'EmployeeCreated', data: { attributes } })
  return { employee, changes: attributes, changed: [], result: 'created' as const }
}

function applyPatch(before: Employee, record: ReadRecord, now: string) {
  const { changes, statusTo, changed, result } = patchEffect(before, record.patch)
  const fact = { stream: before.id, version: before.version + 1, recorded_at: now }
  let employee = before
  if (changed.length > 0) employee = evolve(employee, { ...fact, type: 'EmployeeUpdated', data: { changes } })
  if (statusTo === 'inactive') employee = evolve(employee, { ...fact, type: 'EmployeeDeactivated', data: {} })
  if (statusTo === 'active') employee = evolve(employee, { ...fact, type: 'EmployeeReactivated', data: {} })
  return { employee, changes, changed, result }
}

async function updateMany(request: FastifyRequest, operation: string, records: ReadRecord[]) {
  const { logId, counts, results } = await update(request, operation, records)
  const shown = results.map(({ employee, result, changed }, index) => ({ index, id: employee.id, result, changed }))
  return { log_id: logId, counts: { ...counts, failed: 0 }, results: shown }
}

async function update(request: FastifyRequest, operation: string, records: ReadRecord[]) {
  const { api_id: apiId, company_id: companyId } = callerOf(request)
  const [logId, now] = [newId(), new Date().toISOString()]
  return withClient(pool, async (client) => {
    const byField = [...Map.groupBy(records, ({ locator }) => locator!.field)]
    const locks = byField.map(([field, group]) =>
      statements.lockEmployees(
        companyId,
        field,
        group.map(({ locator }) => locator!.value),
      ),
    )
    const [, ...rowLists] = await sendPipelined<Employee>(client, [BEGIN, ...locks])
    const named = new Map(byField.flatMap(([field], at) => rowLists[at]!.map((row) => [`${field} ${row[field]}`, row])))
    const results = records.map((record) => {
      const before = named.get(`${record.locator!.field} ${record.locator!.value}`)
      if (!before && operation === 'upsert') return create(record, now)
      if (!before) throw new RefusedError(operation === 'update_one' ? 404 : 422, 'employee_not_found')
      return applyPatch(before, record, now)
    })
    const changed = results.filter((result) => result.changed.length > 0).map(({ employee }) => employee)
    const created = results.filter(({ result }) => result === 'created').map(({ employee }) => employee)
    const details = results.map(({ employee, result, changes }, at): LogRecord => ({
      o: at,
      e: employee.id,
      s: result,
      d: changes,
    }))
    const deactivated = results.filter(({ result }) => result === 'deactivated').length
    const counts = {
      total: results.length,
      updated: changed.length - deactivated,
      deactivated,
      no_updates: results.length - changed.length - created.length,
    }
    await sendPipelined(client, [
      ...(created.length > 0 ? [statements.insertEmployees(companyId, created)] : []),
      ...(changed.length > 0 ? [statements.updateEmployees(companyId, changed)] : []),
      statements.insertLog({ companyId, logId, apiId, operation, requestId: request.id, now, counts }),
      statements.insertLogRecords(companyId, logId, details),
      statements.useQuota(apiId),
      COMMIT,
    ])
    return { logId, counts, results }
  })
}

function readMany(operation: ManyOperation, body: unknown): ReadRecord[] {
  return readAll(recordsOfMany(operation, body, MAX_RECORDS), (record) => readRecord(operation, record))
}

/** Validates and normalizes all records; throws when one is invalid. */
function readAll(body: CallRecords, read: (record: SentRecord) => ReadRecord): ReadRecord[] {
  if (body.problem) throw new RefusedError(422, body.problem.code)
  const records = body.records.map(read)
  if (records.some(({ errors }) => errors.count > 0)) throw new RefusedError(422, 'validation_failed')
  return records
}

/** Sends the statements in one pipeline, as the service does, and returns the rows of each. Throws the first error. */
async function sendPipelined<Row extends object>(client: PoolClient, sent: Statement[]): Promise<Row[][]> {
  const answers = await pipeline(client, (pipe) => Promise.all(sent.map((statement) => pipe.query<Row>(statement))))
  return answers.map(({ rows }) => rows)
}

/** Makes a UUIDv7, which grows with time, so that indexes grow at the end. */
function newId(): string {
  const time = Date.now().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}

process.once('SIGTERM', () => void app.close().then(() => process.exit(0)))
process.stdout.write(`crud listens on ${await app.listen({ host: '127.0.0.1', port: 0 })}\n`)
