import type { FastifyInstance, FastifyRequest } from 'fastify'
import { countProvisioned, listProvisioned } from '#projections/employees/provisioned'
import { EMPLOYEES, readPages } from '#projections/employees/queries'
import { doInTurns, filterInTurns } from '#admission/turns'
import type { Employee } from '#domain/employees/employee'
import { entityTag, findFailedCondition } from '#domain/employees/entity-tag'
import { isId } from '#domain/ids'
import { mapInPieces } from '#domain/pieces'
import { trimBlanks } from '#text/normalize-text'
import { MAX_COUNT, renderList } from '#domain/scim/discovery'
import { matchesFilter } from '#domain/scim/evaluate-filter'
import { parseFilter, PathError, type Filter } from '#domain/scim/parse-path'
import { pinnedNames } from '#domain/scim/pinned-names'
import { projectUser, renderUser } from '#domain/scim/render-user'
import { findStoredCondition, type StoredCondition } from '#domain/scim/stored-condition'
import { ScimFault } from '#domain/scim/scim-fault'
import { SCIM_TYPE } from '#domain/scim/scim-protocol'
import { callerOf } from '#http/access/authenticate'
import { chargedReading } from '#http/access/quota'
import type { KeyServices } from '#http/calls/writing-call'
import { createPositionWaits } from '#http/live/position-waits'
import { refuseHalfBuilt, preconditionsOf } from '#http/server/preconditions'
import { ProblemError, problemError } from '#http/server/problem'
import { charactersIn } from '#ledger/append/employee-cache'
import type { LedgerDb } from '#ledger/tables'
import { findScimBase, queryText, readProjection } from './scim-request.ts'
import { createUserPages, type UserPage } from './user-pages.ts'

const USUAL_COUNT = 100
/** The employees that are compared with a filter at once, and about how much those of a page have. */
const COMPARED_AT_ONCE = 1_000
const CHARACTERS_PER_PAGE = 2_000_000

/** Adds the calls that read users: one, as of the last commit, and lists. */
export function readUsers(app: FastifyInstance, services: KeyServices) {
  const { findEmployee, keyUsage, sessions } = services
  const schema = { hide: true }
  app.get('/Users/:id', { schema, ...chargedReading(keyUsage, {}, 'scim') }, async (request, reply) => {
    const { id } = request.params as { id: string }
    const employee = isId('emp', id) ? await findEmployee({ companyId: callerOf(request).companyId, id }) : null
    if (employee?.deprovisioned_at !== null) throw problemError('employee_not_found', 'No such user exists')
    const failed = findFailedCondition(preconditionsOf(request), employee.version)
    if (failed === 'If-Match')
      throw problemError('precondition_failed', 'The user has another version than those in If-Match')
    void reply.header('etag', entityTag(employee.version)).type(SCIM_TYPE)
    if (failed) return reply.code(304).send()
    return reply.send(projectUser(renderUser(employee, findScimBase(request, sessions)), readProjection(request)))
  })
  void app.register(async (lists) => {
    refuseHalfBuilt(lists, services.areReadModelsComplete)
    listUsers(lists, services)
  })
}

function listUsers(app: FastifyInstance, services: KeyServices) {
  const { reads, access, keyUsage, sessions, findNamed, companiesTogether } = services
  const onError = (error: unknown) => app.log.debug({ err: error }, 'the list of users could not be watched')
  const pages = createUserPages()
  const waitForPosition = createPositionWaits(access, EMPLOYEES, onError, { companiesTogether })
  const charged = chargedReading(keyUsage, { isHeavyRead: comparesEverybody }, 'scim')
  app.get('/Users', { schema: { hide: true }, ...charged }, async (request, reply) => {
    const { companyId } = callerOf(request)
    const filter = readFilter(request)
    const startIndex = Math.max(1, readNumber(request, 'startIndex', 1))
    const count = Math.min(MAX_COUNT, Math.max(0, readNumber(request, 'count', USUAL_COUNT)))
    const page = { skip: startIndex - 1, limit: count }
    const base = findScimBase(request, sessions)
    const isMeant = (employee: Employee) =>
      employee.deprovisioned_at === null && (!filter || matchesFilter(filter, renderUser(employee, base)))
    const pinned = filter && pinnedNames(filter)
    const read = async () => {
      const found = pinned ? (await findNamed(companyId, pinned.names)).filter(isMeant) : []
      if (pinned?.isSure || found.length > 0)
        return pageOf(
          found.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
          page,
        )
      const head = await waitForPosition(companyId, 'head')
      const db = await reads.of(companyId, request.left)
      if (!filter) return pages.read(db, companyId, head, page)
      const { condition, isExact } = findStoredCondition(filter) ?? {}
      if (!condition || !isExact) return compareAll(db, companyId, { condition, isMeant, left: request.left }, page)
      const total = await countProvisioned(db, companyId, condition)
      return { total, employees: await listMatching(db, companyId, condition, { total, ...page }) }
    }
    const { total, employees } = await read()
    const projection = readProjection(request)
    // Users with many values, of which many are wanted by name, take long together.
    const render = (employee: Employee) => projectUser(renderUser(employee, base), projection)
    const users = await doInTurns(mapInPieces(employees, render))
    return reply.type(SCIM_TYPE).send(renderList(users, total, startIndex))
  })
}

function pageOf(employees: Employee[], { skip, limit }: UserPage) {
  return { total: employees.length, employees: employees.slice(skip, skip + limit) }
}

async function listMatching(
  db: LedgerDb,
  companyId: string,
  condition: StoredCondition,
  { total, skip, limit }: UserPage & { total: number },
): Promise<Employee[]> {
  if (limit === 0 || skip >= total) return []
  return (await listProvisioned(db, companyId, { condition, skip, limit })).employees
}

interface Comparison {
  condition: StoredCondition | undefined
  isMeant(employee: Employee): boolean
  left: AbortSignal | undefined
}

/** Compares employees with a filter, in turns, apart from those whose rows tell that they don't match. */
async function compareAll(
  db: LedgerDb,
  companyId: string,
  { condition, isMeant, left }: Comparison,
  { skip, limit }: UserPage,
) {
  const employees: Employee[] = []
  let [total, characters] = [0, 0]
  const pages = readPages((place) => listProvisioned(db, companyId, { ...place, condition }), COMPARED_AT_ONCE)
  for await (const compared of pages) {
    const found = await filterInTurns(compared, isMeant, left)
    for (const employee of found.slice(Math.max(0, skip - total), Math.max(0, skip + limit - total))) {
      if (characters >= CHARACTERS_PER_PAGE) break
      employees.push(employee)
      characters += charactersIn(employee)
    }
    total += found.length
  }
  return { total, employees }
}

/** Whether a list is filtered by what nobody can be looked up by. */
function comparesEverybody(request: FastifyRequest) {
  try {
    const filter = readFilter(request)
    return filter !== null && pinnedNames(filter)?.isSure !== true
  } catch {
    return false
  }
}

function readFilter(request: FastifyRequest): Filter | null {
  const text = queryText(request, 'filter')
  if (text === undefined) return null
  try {
    return parseFilter(text)
  } catch (error) {
    if (!(error instanceof PathError)) throw error
    throw new ProblemError(new ScimFault('invalidFilter', `The filter can't be read: ${error.message}`).problem)
  }
}

/** Larger numbers say nothing that this one doesn't. */
const LARGEST = 2_147_483_647

function readNumber(request: FastifyRequest, name: string, usual: number) {
  const text = queryText(request, name)
  if (text === undefined) return usual
  if (!/^[+-]?\d{1,40}$/.test(trimBlanks(text)))
    throw new ProblemError(new ScimFault('invalidValue', `${name} must be a whole number`).problem)
  return Math.min(LARGEST, Number(text))
}
