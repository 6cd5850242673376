import type { FastifyInstance } from 'fastify'
import { setTimeout as pause } from 'node:timers/promises'
import type { Static } from '@sinclair/typebox'
import { Type } from '@sinclair/typebox'
import type { Kysely } from 'kysely'
import type { EmployeeFilter, EmployeePlace } from '../../../projections/employees-queries.ts'
import { EMPLOYEES, listEmployees } from '../../../projections/employees-queries.ts'
import { normaliseEmail } from '../../domain/attributes.ts'
import { problem } from '../../domain/errors.ts'
import { isId } from '../../domain/ids.ts'
import { readProgress } from '../../ledger/read-progress.ts'
import type { LedgerTables } from '../../ledger/tables.ts'
import { callerOf } from '../authenticate.ts'
import { ProblemError } from '../problem.ts'
import { admit } from '../quota.ts'
import type { ReadServices } from './read-employees.ts'

const ListQuery = Type.Object(
  {
    limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
    cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    status: Type.Optional(Type.Union([Type.Literal('active'), Type.Literal('inactive')])),
    email: Type.Optional(Type.String({ minLength: 1, maxLength: 254 })),
    external_id: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    updated_since: Type.Optional(Type.String({ format: 'date-time' })),
    q: Type.Optional(Type.String({ minLength: 1, maxLength: 254 })),
    min_position: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  },
  { additionalProperties: false },
)

/** `GET /v1/employees`: a list from the read model, which follows the ledger at a short distance. */
export function listEmployeesRoute(app: FastifyInstance, { db, keyUsage }: ReadServices): void {
  app.get<{ Querystring: Static<typeof ListQuery> }>(
    '/employees',
    { schema: { querystring: ListQuery } },
    async (request, reply) => {
      const { companyId } = callerOf(request)
      const { limit, cursor, min_position: minPosition, ...rest } = request.query
      const filter: EmployeeFilter = rest
      assertStorable(rest)
      if (filter.email !== undefined) filter.email = normaliseEmail(filter.email)
      if (filter.updated_since !== undefined) filter.updated_since = instant('updated_since', filter.updated_since)
      const after = cursor === undefined ? null : decodePlace(cursor)
      await admit(request, reply, keyUsage)
      if (minPosition !== undefined) await waitForPosition(db, companyId, minPosition)
      // One more than asked for tells whether there is a next page.
      const page = { after, limit: limit + 1 }
      const found = await listEmployees(db as unknown as Kysely<unknown>, companyId, filter, page)
      const items = found.slice(0, limit)
      const last = items.at(-1)
      return { items, next_cursor: found.length > limit && last ? encodePlace({ id: last.id, updatedAt: last.updated_at }) : null }
    },
  )
}

const WAIT_MS = 10_000
const POLL_MS = 20

/** Waits until the read model has folded a position, so that a client reads its own write. */
async function waitForPosition(db: Kysely<LedgerTables>, companyId: string, position: number): Promise<void> {
  const deadline = performance.now() + WAIT_MS
  for (;;) {
    const { head, reached } = await readProgress(db, companyId, EMPLOYEES)
    if (position > head) {
      throw new ProblemError(problem('invalid_query', 'the query parameter min_position is beyond the last position'))
    }
    if (reached >= position) return
    if (performance.now() > deadline) {
      throw new ProblemError(problem('unavailable', 'the employee list has not reached min_position yet; try again'))
    }
    await pause(POLL_MS)
  }
}

function encodePlace({ id, updatedAt }: EmployeePlace): string {
  return Buffer.from(`1:${updatedAt}:${id}`).toString('base64url')
}

function decodePlace(cursor: string): EmployeePlace {
  const text = Buffer.from(cursor, 'base64url').toString('latin1')
  const [, updatedAt, id] = /^1:([0-9T:.-]{23}Z):(emp_[0-9a-z]+)$/.exec(text) ?? []
  if (updatedAt !== undefined && isId('emp', id)) return { updatedAt: instant('cursor', updatedAt), id }
  throw new ProblemError(problem('invalid_query', 'the query parameter cursor is not one that a list gave'))
}

const FIRST_INSTANT_MS = Date.parse('0001-01-01T00:00:00.000Z')

/** An instant as the database takes it: neither it nor Date knows all that the form of a date-time allows. */
function instant(name: string, text: string): string {
  const time = Date.parse(text)
  if (time >= FIRST_INSTANT_MS) return new Date(time).toISOString()
  throw new ProblemError(problem('invalid_query', `the query parameter ${name} holds no instant since the year 1`))
}

/** What no text of the database can hold, none of its rows can match. */
function assertStorable(texts: object): void {
  for (const [name, value] of Object.entries(texts)) {
    if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) {
      throw new ProblemError(problem('invalid_query', `the query parameter ${name} holds a character that no text may have`))
    }
  }
}
