import type { FastifyInstance, FastifySchema } from 'fastify'
import { Type, type Static } from '@sinclair/typebox'
import { problem } from '#domain/errors'
import { toAuditedEvent } from '#ledger/read/event-line'
import { findLastPositionBefore, readHead } from '#ledger/read/read-head'
import { readEmployeeAt } from '#ledger/read/read-employee-history'
import { readStreamBackwards } from '#ledger/read/read-events'
import type { LedgerDb } from '#ledger/tables'
import {
  idIn,
  makeListSchema,
  namedObject,
  optionalString,
  Page,
  strictObject,
  count,
} from '#http/openapi/schema-parts'
import { userOf } from '#http/access/authorize-user'
import { decodeCursor, encodeCursor, parseTime, invalidQuery } from '#http/server/query-values'
import { Employee } from '#http/openapi/employee-schemas'
import { ProblemError } from '#http/server/problem'
import type { AuditServices } from './audit-services.ts'
import { assertNotBeyond, AuditEvent, Cause } from './event-schemas.ts'

const UNKNOWN = problem('employee_not_found', 'No such employee exists')
export const { schema: ofEmployee, read: readEmployeeId } = idIn('employee', 'emp', UNKNOWN)
const AtQuery = strictObject({
  at: optionalString({
    minLength: 1,
    maxLength: 40,
    description: 'A ledger position, or a time (RFC 3339). Default: the head of the ledger.',
    examples: ['2026-11-20T15:01:40.325Z'],
  }),
})

const EmployeeThen = namedObject('EmployeeThen', {
  position: count('The requested position, or the last position at the requested time.'),
  employee: Employee,
  causes: Type.Unsafe<Record<string, Static<typeof Cause>>>({
    type: 'object',
    additionalProperties: Cause,
    description: 'By attribute name. A custom attribute is named like `custom_attributes.grade`.',
  }),
})

const AT = {
  operationId: 'readEmployeeAt',
  summary: 'Read an employee at a position or time, with the event that last set each attribute',
  description: 'Returns 404 if the employee had not been created yet, or has been erased.',
  ...ofEmployee,
  querystring: AtQuery,
  response: { 200: EmployeeThen },
} satisfies FastifySchema

const HistoryQuery = strictObject(Page)

const HISTORY = {
  operationId: 'listEmployeeEvents',
  summary: 'List the events of an employee, newest first',
  description: 'A page may have fewer than `limit` items if they are very large.',
  ...ofEmployee,
  querystring: HistoryQuery,
  response: { 200: makeListSchema(AuditEvent) },
} satisfies FastifySchema

/** `GET /audit/v1/employees/…`: past states and events of an employee. */
export function employeeHistory(app: FastifyInstance, { reads }: AuditServices) {
  app.get('/employees/:id', { schema: AT, config: { isHeavyRead: true } }, async (request) => {
    const { companyId } = userOf(request)
    const db = await reads.of(companyId, request.left)
    const position = await resolvePosition(db, companyId, request.query.at)
    const then = await readEmployeeAt(db, companyId, readEmployeeId(request.params.id), position)
    if (then.standing !== 'known') {
      const isErased = then.standing === 'erased'
      throw new ProblemError(isErased ? { ...UNKNOWN, detail: "The employee's data has been erased" } : UNKNOWN)
    }
    return { position, employee: then.employee, causes: then.causes }
  })

  app.get('/employees/:id/history', { schema: HISTORY }, async (request) => {
    const { companyId } = userOf(request)
    const { limit, cursor } = request.query
    const before = cursor === undefined ? null : decodeCursor(cursor)
    const stream = readEmployeeId(request.params.id)
    const db = await reads.of(companyId, request.left)
    const events = await readStreamBackwards(db, companyId, { stream, before, limit })
    const last = events.at(-1)
    if (!last && before === null) throw makeUnknownEmployeeError()
    return {
      items: events.map(toAuditedEvent),
      // The versions of a stream are contiguous.
      next_cursor: last && last.stream_version > 1 ? encodeCursor(last.stream_version) : null,
    }
  })
}

/** Resolves `at` to a position. Throws a problem if it is malformed, beyond the head, or in the future. */
export async function resolvePosition(db: LedgerDb, companyId: string, at: string | undefined): Promise<number> {
  const { position: head, recordedAt, now } = await readHead(db, companyId)
  if (at === undefined) return head
  if (/^[0-9]{1,15}$/.test(at)) {
    assertNotBeyond('at', Number(at), head)
    return Number(at)
  }
  if (!RFC_3339.test(at)) throw invalidQuery('at', 'must be a position or a time (RFC 3339)')
  const time = parseTime('at', at)
  // Nothing has changed between the last event and now.
  if (time > now && time > recordedAt) throw invalidQuery('at', 'must not be in the future')
  return findLastPositionBefore(db, companyId, head, time, { inclusive: true })
}

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/i

/** Makes the refusal of an unknown or malformed employee id. */
export function makeUnknownEmployeeError(): ProblemError {
  return new ProblemError(UNKNOWN)
}
