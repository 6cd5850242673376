import { sql, type Kysely, type RawBuilder } from 'kysely'
import { type Employee, HOURS_UNTIL_PASSED, type LastingWarning } from '#domain/employees/employee'
import { employees, buildSearchText } from './fold.ts'
import { EMPLOYEE_COLUMNS, toEmployee, type EmployeeRow, type EmployeeTables, STATUS } from './rows.ts'
import { schemaOf, type AnyDb } from '#projections/projection'
import { toUuid } from '#domain/ids'
import { SELECT_PREPARED } from '#postgres/kysely'
import { foldText, trimBlanks } from '#text/normalize-text'

/** The projection that these queries read. */
export const EMPLOYEES = { name: employees.name, version: employees.version }

const TABLE = sql.id(schemaOf(employees), 'employees')
const COLUMNS = sql.raw(EMPLOYEE_COLUMNS.join(', '))

/** The bytes of attributes that are read at once: those of as many usual employees as a page has are fewer. */
const BYTES_AT_ONCE = 2_000_000

/** Employees of a list: as many as were asked for, or fewer, at least one, if they have too many bytes. */
export interface EmployeePage {
  employees: Employee[]
  /** Whether there may be fewer because of their bytes. */
  isCut: boolean
}

/** The bytes of attributes. Of a value that is not compressed, as those of most people, PostgreSQL need not read it. */
const BYTES = sql`case when pg_column_compression(attributes) is null then pg_column_size(attributes)
    else octet_length(attributes::text) end`
const OTHER_COLUMNS = sql.raw(EMPLOYEE_COLUMNS.filter((name) => name !== 'attributes').join(', '))

interface RowLimits {
  /** The most rows that the statement selects. */
  limit: number
  /** The bytes that the rows have at most, but for the last one. */
  most?: number
}

/**
 * Reads the first of the rows that a statement selects, at least one, until they have so many bytes. Mostly none has more
 * than its share, so that nothing is to be summed. Neither the sum nor the condition changes the order of the rows.
 */
async function readRows<Row extends EmployeeRow>(
  db: AnyDb,
  select: RawBuilder<Row>,
  { limit, most = BYTES_AT_ONCE, begin = sql`select`, more = sql`` }: RowLimits & { begin?: Sql; more?: Sql },
) {
  const share = Math.floor(most / limit)
  const { rows: small } = await sql<Row & { attributes: Row['attributes'] | null }>`${begin} ${OTHER_COLUMNS}${more},
      case when ${BYTES} <= ${share} then attributes end as attributes from (${select}) as found`.execute(db)
  if (small.every(({ attributes }) => attributes !== null))
    return { rows: small as Row[], bytes: small.length * share, isCut: false }
  const { rows } = await sql<Row & { bytes: number }>`select * from (
      select *, sum(${BYTES}) over (rows unbounded preceding) as bytes from (${select}) as found
    ) as measured where bytes - (${BYTES}) < ${most}`.execute(db)
  const bytes = rows.at(-1)?.bytes ?? 0
  return { rows, bytes, isCut: bytes >= most }
}

type Sql = RawBuilder<unknown>

/** Reads the first of the employees that a statement selects: see `readRows`. */
export async function readPage(db: AnyDb, select: RawBuilder<EmployeeRow>, limit: number, begin = sql`select`) {
  const { rows, isCut } = await readRows(db, select, { limit, begin })
  return { employees: rows.map(toEmployee), isCut }
}

/** Reads a whole list, at most so many employees at once. */
export async function* readPages(
  read: (place: ListPlace) => Promise<EmployeePage>,
  most: number,
): AsyncGenerator<Employee[], void> {
  let place: ListPlace | null = { after: null, limit: most }
  while (place) {
    const { employees, isCut }: EmployeePage = await read(place)
    yield employees
    const isEnd: boolean = !isCut && employees.length < place.limit
    // The rows behind a cut are measured in vain.
    const limit = Math.min(most, 2 * (isCut ? employees.length : place.limit))
    place = isEnd ? null : { after: employees.at(-1)!.id, limit }
  }
}

/** Which part of a list is read: `after` is the last one of the page before. */
interface ListPlace {
  after: string | null
  limit: number
}

/** Lists a company's employees in the order of their creation, which never changes: as many as are read at once. */
export function readEmployeePage(
  db: AnyDb,
  companyId: string,
  filter: EmployeeFilter,
  page: ListPlace,
): Promise<EmployeePage> {
  const conditions = conditionsOf(companyId, filter)
  if (page.after !== null) conditions.push(sql`employee_id > ${toUuid(page.after)}`)
  const selected = sql<EmployeeRow>`select ${COLUMNS} from ${TABLE}
    where ${sql.join([sql`company_id = ${toUuid(companyId)}`, ...conditions], sql` and `)}
    order by employee_id limit ${page.limit}`
  return readPage(db, selected, page.limit, SELECT_PREPARED)
}

/**
 * Finds the employees who match a text. Those whose first, last or full name, email or number is the text come first,
 * then those with a name that begins with it, then those with anything else that begins with it, then the rest; each in
 * the order of their names. `after` is the last employee of the page before: once they have been erased, or match no
 * more, nothing follows.
 */
export async function searchEmployees(
  db: AnyDb,
  companyId: string,
  q: string,
  page: { after: string | null; limit: number },
): Promise<Employee[]> {
  const text = foldText(trimBlanks(q))
  // The name ends where the email begins, or the external id or user name of a person without one.
  const behind = sql`lower(coalesce(attributes->>'email', attributes->>'external_id', attributes->>'user_name'))`
  const name = sql`' ' || left(search_text, strpos(search_text, ' ' || ${behind}))`
  // Most of many matches are within words: they are found first, because reading the email costs the most.
  const rank = sql`case
    when strpos(' ' || search_text, ${` ${text}`}) = 0 then 3
    when strpos(' ' || search_text || ' ', ${` ${text} `}) > 0 then 0
    when strpos(${name}, ${` ${text}`}) > 0 then 1
    else 2 end`
  const matches = sql`select ${COLUMNS}, search_text, ${rank} as rank from ${TABLE}
    where company_id = ${toUuid(companyId)} and ${matchesText(q)}`
  const isBeyond =
    page.after === null
      ? sql`true`
      : sql`(rank, search_text, employee_id) > (
          select rank, search_text, employee_id from (${matches} and employee_id = ${toUuid(page.after)}) last)`
  const { rows } = await sql<EmployeeRow>`select ${COLUMNS} from (${matches}) found where ${isBeyond}
    order by rank, search_text, employee_id limit ${page.limit}`.execute(db)
  return rows.map(toEmployee)
}

/** The number of positions that one statement searches for last changes, and that one page searches. */
const SEARCHED_AT_ONCE = 10_000
const SEARCHED_PER_PAGE = 100_000

/** Employees in the order of their last change. */
interface ChangedEmployees {
  employees: Employee[]
  /** The position after which the next page starts; null if nothing follows. */
  next: number | null
}

/**
 * Lists the employees whose last change is after a position, in the order of these changes: an employee who changes
 * during paging appears again instead of being missed. Searches a bounded number of positions, so a page may have fewer
 * employees than `limit`, or none, although another one follows.
 */
export async function listChangedEmployees(
  db: AnyDb,
  companyId: string,
  filter: EmployeeFilter,
  page: { after: number; limit: number; searched?: number },
): Promise<ChangedEmployees> {
  const folded = await readFolded(db, companyId)
  const end = Math.min(folded, page.after + (page.searched ?? SEARCHED_PER_PAGE))
  const ranges: Range[] = []
  for (let after = page.after; after < end; after += SEARCHED_AT_ONCE)
    ranges.push({ after, upTo: Math.min(end, after + SEARCHED_AT_ONCE) })
  const { employees, last } = await searchRanges(db, companyId, filter, ranges, { limit: page.limit, order: 'asc' })
  return { employees, next: last ?? (end < folded ? end : null) }
}

/**
 * The same in the opposite order, from a position back: null begins with the last change. An employee who changes during
 * paging may be missed. `next` is the position from which the next page goes back.
 */
export async function listLatestChanges(
  db: AnyDb,
  companyId: string,
  filter: EmployeeFilter,
  page: { upTo: number | null; after: number; limit: number },
): Promise<ChangedEmployees> {
  const upTo = page.upTo ?? (await readFolded(db, companyId))
  const end = Math.max(page.after, upTo - SEARCHED_PER_PAGE)
  const ranges: Range[] = []
  for (let at = upTo; at > end; at -= SEARCHED_AT_ONCE)
    ranges.push({ after: Math.max(end, at - SEARCHED_AT_ONCE), upTo: at })
  const { employees, last } = await searchRanges(db, companyId, filter, ranges, { limit: page.limit, order: 'desc' })
  return { employees, next: last === null ? (end > page.after ? end : null) : last - 1 }
}

/** Positions after `after`, up to and including `upTo`. */
interface Range {
  after: number
  upTo: number
}

/** Searches one range after the other, until it has enough. `last` is the last position shown if others follow. */
async function searchRanges(
  db: AnyDb,
  companyId: string,
  filter: EmployeeFilter,
  ranges: readonly Range[],
  { limit, order }: { limit: number; order: 'asc' | 'desc' },
): Promise<{ employees: Employee[]; last: number | null }> {
  const conditions = conditionsOf(companyId, filter)
  let rows: ChangedRow[] = []
  let [most, isCut] = [BYTES_AT_ONCE, false]
  for (const range of ranges) {
    // One more than asked for tells whether another page follows.
    const left = limit + 1 - rows.length
    if (left <= 0 || isCut) break
    const selected = selectLastChanges(companyId, { ...range, limit: left, order }, conditions)
    const found = await readRows(db, selected, { limit: left, most, more: sql`, position` })
    rows = rows.concat(found.rows)
    most -= found.bytes
    isCut = found.isCut
  }
  const shown = rows.slice(0, limit)
  return { employees: shown.map(toEmployee), last: isCut || rows.length > limit ? shown.at(-1)!.position : null }
}

type ChangedRow = EmployeeRow & { position: number }

/** Selects the employees whose row has the version of an event in this range. */
function selectLastChanges(
  companyId: string,
  { after, upTo, limit, order }: Range & { limit: number; order: 'asc' | 'desc' },
  conditions: RawBuilder<boolean>[],
) {
  return sql<ChangedRow>`
    select e.position, ${sql.raw(EMPLOYEE_COLUMNS.map((name) => `r.${name}`).join(', '))}
    from events e join ${TABLE} r
      on r.company_id = e.company_id and r.employee_id = e.stream_id and r.version = e.stream_version
    where ${sql.join(
      [sql`e.company_id = ${toUuid(companyId)} and e.position > ${after} and e.position <= ${upTo}`, ...conditions],
      sql` and `,
    )}
    order by e.position ${sql.raw(order)} limit ${limit}`
}

/** The position up to which the employees of a company are folded. */
async function readFolded(db: AnyDb, companyId: string) {
  const { rows } = await sql<{ position: number }>`${selectFolded(toUuid(companyId))}`.execute(db)
  return rows[0]?.position ?? 0
}

/** Selects the position up to which the employees of a company are folded. */
export function selectFolded(company: string) {
  return sql`select position from checkpoints
    where company_id = ${company} and projection = ${EMPLOYEES.name} and version = ${EMPLOYEES.version}`
}

/** Finds the employees of a company with these ids, by id. */
export async function findEmployees(db: AnyDb, companyId: string, ids: string[]): Promise<Map<string, Employee>> {
  if (ids.length === 0) return new Map()
  const rows = await withTables(db)
    .selectFrom('employees')
    .select(EMPLOYEE_COLUMNS)
    .where('company_id', '=', toUuid(companyId))
    .where('employee_id', '=', sql<string>`any(${ids.map(toUuid)}::uuid[])`)
    .execute()
  return new Map(rows.map(toEmployee).map((employee) => [employee.id, employee]))
}

/** The database with the tables of this projection. */
export function withTables(db: AnyDb): Kysely<EmployeeTables> {
  return db.withSchema(schemaOf(employees)).$extendTables<EmployeeTables>()
}

/** What people are sorted by, and in which direction. People with equal values are in the order of their ids. */
const ORDERS = {
  newest: { key: sql`employee_id`, isDescending: true },
  name: {
    key: sql`lower(coalesce(attributes->>'last_name', '') || ' ' || coalesce(attributes->>'first_name', ''))`,
    isDescending: false,
  },
  department: { key: sql`lower(coalesce(attributes->>'department', ''))`, isDescending: false },
  changed: { key: sql`updated_at`, isDescending: true },
} as const

export type PeopleOrder = keyof typeof ORDERS

export const PEOPLE_ORDERS = Object.keys(ORDERS) as PeopleOrder[]

/**
 * Lists a company's people. Only the newest ones are found by an index; all else reads everybody. `after` is the last one
 * of the page before: once they have been erased, nothing follows.
 */
export async function listPeople(
  db: AnyDb,
  companyId: string,
  filter: EmployeeFilter,
  place: PeoplePlace,
): Promise<Employee[]> {
  const { rows } = await selectPeople(companyId, filter, place).execute(db)
  return rows.map(toEmployee)
}

/** Lists them page by page: as many of a page as are read at once. */
export function readPeoplePage(
  db: AnyDb,
  companyId: string,
  filter: EmployeeFilter,
  place: PeoplePlace,
): Promise<EmployeePage> {
  return readPage(db, selectPeople(companyId, filter, place), place.limit)
}

interface PeoplePlace extends ListPlace {
  order: PeopleOrder
}

function selectPeople(companyId: string, filter: EmployeeFilter, page: PeoplePlace) {
  const company = toUuid(companyId)
  const { key, isDescending } = ORDERS[page.order]
  const conditions = conditionsOf(companyId, filter)
  if (page.after !== null)
    conditions.push(sql`(${key}, employee_id) ${isDescending ? sql`<` : sql`>`} (
      select ${key}, employee_id from ${TABLE} where company_id = ${company} and employee_id = ${toUuid(page.after)})`)
  const direction = isDescending ? sql`desc` : sql`asc`
  return sql<EmployeeRow>`select ${COLUMNS}
    from ${TABLE} where ${sql.join([sql`company_id = ${company}`, ...conditions], sql` and `)}
    order by ${key} ${direction}, employee_id ${direction} limit ${page.limit}`
}

/** Selects the employees who match all given filters. */
export interface EmployeeFilter {
  status?: Employee['status']
  /** In any case. */
  department?: string
  location?: string
  /** The id of their manager. */
  manager?: string
  withoutExternalId?: true
  /** Active people whose termination date is before this day (YYYY-MM-DD). */
  endedBefore?: string
  /** Only active people to whom this warning applies. */
  warning?: LastingWarning
  q?: string
}

const CONDITIONS: Required<{
  [Name in keyof EmployeeFilter]: (value: NonNullable<EmployeeFilter[Name]>, company: string) => RawBuilder<boolean>
}> = {
  status: (status) => hasStatus(status),
  department: (department) => isText('department', department),
  location: (location) => isText('location', location),
  // The directory has managers as they are stored, and indexes by manager and external id.
  manager: (manager, company) => sql`employee_id in (
    select employee_id from employee_directory where company_id = ${company} and manager_id = ${toUuid(manager)})`,
  withoutExternalId: (_, company) => sql`employee_id in (
    select employee_id from employee_directory where company_id = ${company} and external_id is null)`,
  endedBefore: (day) => sql`${hasStatus('active')} and attributes->>'termination_date' < ${day}`,
  warning: (warning, company) => sql`${hasStatus('active')} and ${WARNED[warning](company)}`,
  q: (q) => matchesText(q),
}

const WARNED: Readonly<Record<LastingWarning, (company: string) => RawBuilder<boolean>>> = {
  past_termination_dates: () => {
    const passed = sql`to_char(now() at time zone 'UTC' - make_interval(hours => ${HOURS_UNTIL_PASSED}), 'YYYY-MM-DD')`
    return sql`attributes->>'termination_date' < ${passed}`
  },
  inactive_managers: (company) => sql`employee_id in (
    select d.employee_id from employee_directory d join ${TABLE} m
      on m.company_id = d.company_id and m.employee_id = d.manager_id
    where d.company_id = ${company} and m.deactivated_at is not null)`,
}

/** The conditions of a filter. */
function conditionsOf(companyId: string, filter: EmployeeFilter) {
  return (Object.keys(filter) as (keyof EmployeeFilter)[]).flatMap((name) => {
    const value = filter[name]
    const condition = CONDITIONS[name] as (value: unknown, company: string) => RawBuilder<boolean>
    return value === undefined ? [] : [condition(value, toUuid(companyId))]
  })
}

/** The condition that an employee has a status. */
export function hasStatus(status: Employee['status']) {
  return sql<boolean>`${sql.raw(STATUS)} = ${status}`
}

function isText(name: 'department' | 'location', text: string): RawBuilder<boolean> {
  return sql`lower(attributes->>${sql.lit(name)}) = lower(${text})`
}

/** The condition that an employee's row has a text. */
export function matchesText(q: string) {
  return sql<boolean>`strpos(search_text, ${foldText(trimBlanks(q))}) > 0`
}

/** Whether an employee has a status and a text. */
export function matchesFilter(employee: Employee, { status, q }: Pick<EmployeeFilter, 'status' | 'q'>): boolean {
  if (status !== undefined && employee.status !== status) return false
  return q === undefined || buildSearchText(employee).includes(foldText(trimBlanks(q)))
}
