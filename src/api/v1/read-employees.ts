import { omitUndefined } from '#domain/omit-undefined'
import type { FastifyInstance, FastifySchema } from 'fastify'
import { entityTag, explainFailure, findFailedCondition } from '#domain/employees/entity-tag'
import { refuseUnknown } from '#domain/calls/decide-call'
import { isId } from '#domain/ids'
import type { KeyUsageCounter } from '#accounts/api-keys/key-access'
import type { FindEmployee } from '#ledger/read/read-employees'
import { callerOf } from '#http/access/authenticate'
import {
  jsonAnswer,
  namedObject,
  Page,
  strictObject,
  flag,
  oneOf,
  optionalInteger,
  optionalString,
  count,
} from '#http/openapi/schema-parts'
import { EMPLOYEE_READ, ERASED_EMPLOYEES, EMPLOYEES_LISTED } from '#http/openapi/employee-examples'
import { Employee as ShownEmployee, EmployeeId } from '#http/openapi/employee-schemas'
import { EmployeeParams, READING_PROBLEMS } from '#http/openapi/v1-calls'
import { preconditionsOf } from '#http/server/preconditions'
import { ProblemError, problemError } from '#http/server/problem'
import { chargedReading } from '#http/access/quota'
import { Type, type Static } from '@sinclair/typebox'
import { readErasures } from '#ledger/read/read-erasures'
import type { Reads } from '#ledger/read/reads'
import {
  EMPLOYEES,
  listChangedEmployees,
  readEmployeePage,
  listLatestChanges,
  matchesFilter,
  type EmployeeFilter,
} from '#projections/employees/queries'
import { readCompany } from '#accounts/companies/companies'
import { MAX_EMAIL_CHARACTERS, readEmailAddress, listStoredAddresses } from '#domain/attributes'
import { type Employee, LASTING_WARNINGS } from '#domain/employees/employee'
import { listStoredForms, trimBlanks } from '#text/normalize-text'
import { findLastPositionBefore, readHead } from '#ledger/read/read-head'
import { PeopleQuery, readPeopleFilter } from '#people/people-filter'
import type { LedgerDb } from '#ledger/tables'
import { EmployeeList } from '#http/openapi/answer-schemas'
import { whenGiven } from '#http/access/heavy-reads'
import {
  decodeCursor,
  decodeIdCursor,
  encodeCursor,
  pageOf,
  assertStorable,
  invalidQuery,
  parseTime,
} from '#http/server/query-values'
import { createPositionWaits } from '#http/live/position-waits'

interface ReadServices {
  findEmployee: FindEmployee
  keyUsage: KeyUsageCounter
}

const readSchema = {
  operationId: 'readEmployee',
  summary: 'Read one employee',
  description: 'Always current. An id of another company is treated like one that does not exist.',
  params: EmployeeParams,
  documentedHeaders: ['If-None-Match', 'If-Match'],
  response: {
    200: jsonAnswer('The employee.', ShownEmployee, { headers: ['ETag'], examples: EMPLOYEE_READ }),
    304: { description: 'The employee has a version that `If-None-Match` names.', headers: ['ETag'], type: 'null' },
  },
  problems: ['employee_not_found', 'precondition_failed', ...READING_PROBLEMS],
} satisfies FastifySchema

/** `GET /v1/employees/{id}`: the employee as the last commit left it. */
export function readEmployees(app: FastifyInstance, { findEmployee, keyUsage }: ReadServices) {
  app.get('/employees/:id', { schema: readSchema, ...chargedReading(keyUsage) }, async (request, reply) => {
    const { companyId } = callerOf(request)
    const { id } = request.params
    const employee = isId('emp', id) ? await findEmployee({ companyId, id }) : null
    if (!employee) throw new ProblemError(refuseUnknown(id))
    const conditions = preconditionsOf(request)
    const failed = findFailedCondition(conditions, employee.version)
    if (failed === 'If-Match') {
      const reason = explainFailure(failed, conditions, 'The employee has another version than those in If-Match')
      throw problemError('precondition_failed', reason)
    }
    void reply.header('etag', entityTag(employee.version))
    return failed ? reply.code(304).send() : reply.send(employee)
  })
}

const ErasedEmployees = namedObject('ErasedEmployees', {
  employees: Type.Array(
    strictObject({ id: EmployeeId, position: count('The position of the erasure in the ledger.') }),
    { description: 'In the order of the erasures. Somebody who is erased again, by id, appears again.' },
  ),
  position: count('The position up to which the answer is complete: send it as `after` next time.'),
  is_complete: flag('Whether this is everything until now. If not, ask again at once.'),
})

const schema = {
  operationId: 'listErasedEmployees',
  summary: 'List who was erased',
  description:
    'The ids of erased employees, for copies that must erase them, too. Nothing else about them is left. An answer ' +
    'may have fewer employees than `limit`, or none, although `is_complete` is false.',
  querystring: strictObject({
    limit: Page.limit,
    after: Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 0,
      description: 'Only erasures after this position.',
    }),
  }),
  response: { 200: jsonAnswer('The erased employees.', ErasedEmployees, { examples: ERASED_EMPLOYEES }) },
  problems: READING_PROBLEMS,
} satisfies FastifySchema

/** `GET /v1/employees/erased`: how a copy of the employees learns of erasures. */
export function listErased(app: FastifyInstance, { reads, keyUsage }: { reads: Reads; keyUsage: KeyUsageCounter }) {
  app.get('/employees/erased', { schema, ...chargedReading(keyUsage) }, async (request) => {
    const { companyId } = callerOf(request)
    const erasures = await readErasures(await reads.of(companyId, request.left), companyId, request.query)
    return { employees: erasures.employees, position: erasures.position, is_complete: erasures.isComplete }
  })
}

const { status, department, location, manager_id, only } = PeopleQuery.properties

const ListQuery = strictObject({
  limit: Page.limit,
  cursor: optionalString({ minLength: 1, maxLength: 200, description: 'The `next_cursor` of the previous page.' }),
  status,
  department,
  location,
  manager_id,
  only,
  email: optionalString({
    minLength: 1,
    maxLength: MAX_EMAIL_CHARACTERS,
    description: 'The employee with exactly this value now, including the latest commit.',
  }),
  external_id: optionalString({
    minLength: 1,
    maxLength: 128,
    description: 'The employee with exactly this value now, including the latest commit.',
  }),
  updated_since: optionalString({
    format: 'date-time',
    description:
      'Changed at or after this time. The list is then in the order of the changes, and a page may have fewer ' +
      'employees than `limit`, or none, although `next_cursor` leads to another one.',
  }),
  order: Type.Optional(
    oneOf(
      ['created', 'updated_desc'],
      'Of creation, or with `updated_desc` the latest changes first, for clients that poll. What changes during ' +
        'paging may be missed, so a copy of all employees is kept with `updated_since`.',
    ),
  ),
  warning: Type.Optional(
    oneOf(LASTING_WARNINGS, 'Only active employees whose termination date has passed, or whose manager is inactive.'),
  ),
  q: optionalString({ minLength: 1, maxLength: 254, description: 'Part of a name, email or external id.' }),
  min_position: optionalInteger({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Wait up to 10 seconds for the list to include this `X-Ledger-Position`.',
  }),
})

const listSchema = {
  operationId: 'listEmployees',
  summary: 'List employees',
  description: 'In order of creation. The list is eventually consistent; use `min_position` to read your own write.',
  querystring: ListQuery,
  response: { 200: jsonAnswer('A page of the list.', EmployeeList, { examples: EMPLOYEES_LISTED }) },
  problems: READING_PROBLEMS,
} satisfies FastifySchema

interface ListServices extends ReadServices {
  reads: Reads
  /** For watching the read model on connections that no long read takes. */
  access: LedgerDb
  companiesTogether?: number | undefined
}

/** `GET /v1/employees`: a list from the read model, which follows the ledger at a short distance. */
export function listEmployeesRoute(
  app: FastifyInstance,
  { reads, access, findEmployee, keyUsage, companiesTogether }: ListServices,
) {
  const onError = (error: unknown) => app.log.debug({ err: error }, 'the employee list could not be watched')
  const waitForPosition = createPositionWaits(access, EMPLOYEES, onError, { companiesTogether })
  app.get(
    '/employees',
    { schema: listSchema, ...chargedReading(keyUsage, { isHeavyRead: whenGiven(['q', ...NEVER_OF_ONE]) }) },
    async (request) => {
      const { companyId } = callerOf(request)
      const { min_position: minPosition, ...query } = request.query
      assertStorable(query)
      if (minPosition !== undefined) await waitForPosition(companyId, minPosition)
      return listPage({ db: await reads.of(companyId, request.left), findEmployee }, companyId, query)
    },
  )
}

/** The filters that don't go with the name of one employee. */
const NEVER_OF_ONE = ['warning', 'department', 'location', 'manager_id', 'only'] as const

type Query = Omit<Static<typeof ListQuery>, 'min_position'>

/** A page of employees: those with a name, of the latest changes, or in the order of creation. */
async function listPage(
  { db, findEmployee }: { db: LedgerDb } & Pick<ListServices, 'findEmployee'>,
  companyId: string,
  query: Query,
) {
  const { limit, cursor, email, external_id: externalId, warning } = query
  const since = query.updated_since === undefined ? undefined : parseTime('updated_since', query.updated_since)
  const timeZone = query.only === 'ended' ? (await readCompany(db, companyId)).timeZone : 'UTC'
  const filter: EmployeeFilter = { ...readPeopleFilter(query, timeZone), ...omitUndefined({ warning }) }
  const isHeld = email !== undefined || externalId !== undefined
  const other = isHeld ? NEVER_OF_ONE.find((name) => query[name] !== undefined) : undefined
  if (other !== undefined) throw invalidQuery(other, 'goes with no email and no external_id')
  if (!isHeld && query.order === 'updated_desc') {
    const after = since === undefined ? 0 : await positionBefore(db, companyId, since)
    const upTo = cursor === undefined ? null : decodeCursor(cursor)
    const { employees, next } = await listLatestChanges(db, companyId, filter, { upTo, after, limit })
    return { items: employees, next_cursor: next === null ? null : encodeCursor(next) }
  }
  if (since !== undefined && !isHeld) {
    const after = cursor === undefined ? await positionBefore(db, companyId, since) : decodeCursor(cursor)
    const { employees, next } = await listChangedEmployees(db, companyId, filter, { after, limit })
    return { items: employees, next_cursor: next === null ? null : encodeCursor(next) }
  }
  const after = cursor === undefined ? null : decodeIdCursor('emp', cursor)
  if (!isHeld) {
    // One more than asked for tells whether there is a next page.
    const { employees, isCut } = await readEmployeePage(db, companyId, filter, { after, limit: limit + 1 })
    return pageOf(employees, isCut ? employees.length - 1 : limit, ({ id }) => id)
  }
  const addresses = email === undefined ? [undefined] : listStoredAddresses(readEmailFilter(email))
  const findHolder = async (id: string | undefined) => {
    let found: Employee | null = null
    for (const form of id === undefined ? [undefined] : listStoredForms(id)) {
      for (const address of addresses) {
        const named = address === undefined ? {} : { email: address }
        found ??= await findEmployee({ companyId, ...named, ...omitUndefined({ externalId: form }) })
      }
    }
    return found
  }
  const holder = await findHolder(externalId)
  // A plus sign that isn't encoded arrives as a blank.
  const meant = externalId?.replaceAll(' ', '+')
  if (holder === null && meant !== externalId && (await findHolder(meant)) !== null)
    throw invalidQuery('external_id', 'contains a blank: write %2B for a plus sign')
  const isWanted = (employee: Employee) =>
    matchesFilter(employee, filter) &&
    (since === undefined || employee.updated_at >= since) &&
    (after === null || employee.id > after)
  return { items: holder && isWanted(holder) ? [holder] : [], next_cursor: null }
}

const PLUS = /\s/

function readEmailFilter(sent: string): string {
  const { value, errors } = readEmailAddress(sent)
  if (!errors) return value
  const isEncodedTwice = /%[0-9A-F]{2}/i.test(sent)
  const hint = isEncodedTwice
    ? ': it is encoded twice'
    : PLUS.test(trimBlanks(sent))
      ? ': write %2B for a plus sign'
      : ''
  throw problemError('invalid_query', `The query parameter email is not an email address${hint}`)
}

/** The last position before a time. */
async function positionBefore(db: LedgerDb, companyId: string, time: string) {
  const { position } = await readHead(db, companyId)
  return findLastPositionBefore(db, companyId, position, time, { inclusive: false })
}
