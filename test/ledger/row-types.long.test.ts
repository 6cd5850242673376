import t from 'tap'
import { bulkUserLogs } from '../../projections/bulk-user-logs/fold.ts'
import { employees } from '../../projections/employees/fold.ts'
import { schemaOf } from '../../projections/projection.ts'
import { openPool } from '../../src/postgres/pool.ts'
import { createTestDatabase } from '../support/postgres/test-database.ts'
import type { RowTypes } from '../support/rules/row-types.ts'
import { parseSource, readRowTypes } from '../support/rules/row-types.ts'

/* The types of rows that the program declares, and the columns of a migrated database. */

const { serviceUrl } = await createTestDatabase(t)
const pool = openPool({ url: serviceUrl, name: 'test', max: 1 })
t.teardown(() => pool.end())

/** A value of each type of column. */
const SAMPLES: Record<string, string> = {
  uuid: 'd0000000-0000-7000-8000-000000000000',
  text: 'a',
  timestamptz: '2026-01-01T00:00:00Z',
  int2: '1',
  int4: '1',
  int8: '1',
  bool: 'true',
  bytea: 'a',
  json: '{}',
  jsonb: '{}',
  _text: '{a}',
  _uuid: '{d0000000-0000-7000-8000-000000000000}',
  _int4: '{1}',
  _int8: '{1}',
}

/** What a query returns for a column of this type. */
async function readKind(type: string): Promise<string> {
  const { rows } = await pool.query<{ value: unknown }>(`select $1::${type} as value`, [SAMPLES[type]])
  const { value } = rows[0]!
  if (Buffer.isBuffer(value)) return 'Buffer'
  return Array.isArray(value) ? `${typeof value[0]}[]` : typeof value
}

interface Column {
  table: string
  name: string
  type: string
  is_nullable: boolean
}

async function readColumns(schema: string): Promise<Column[]> {
  const { rows } = await pool.query<Column>(
    `select table_name as table, column_name as name, udt_name as type, is_nullable = 'YES' as is_nullable
     from information_schema.columns
     where table_schema = $1 and table_name <> all ('{citus_tables,citus_schemas}') order by 1, 2`,
    [schema],
  )
  return rows
}

/** The rows that these columns hold. JSON can be an object or a list, as it is declared. */
async function readStored(columns: Column[], declared: RowTypes): Promise<RowTypes> {
  const stored: RowTypes = {}
  for (const { table, name, type, is_nullable: isNullable } of columns) {
    const { kind: declaredKind = '' } = declared[table]?.[name] ?? {}
    const isJson = type.startsWith('json') && /^object|\[\]$/.test(declaredKind)
    stored[table] = { ...stored[table], [name]: { kind: isJson ? declaredKind : await readKind(type), isNullable } }
  }
  return stored
}

/** Tables that nobody reads by a declared type. */
const UNDECLARED = ['idempotency_keys', 'kysely_migration', 'kysely_migration_lock', 'long_calls', 'setup']

const SCHEMAS: [schema: string, file: string, typeName: string, undeclared: string[]][] = [
  ['public', 'src/ledger/tables.ts', 'LedgerTables', UNDECLARED],
  [schemaOf(employees), 'projections/employees/rows.ts', 'EmployeeTables', []],
  [schemaOf(bulkUserLogs), 'projections/bulk-user-logs/tables.ts', 'BulkUserLogTables', []],
]

const source = parseSource(SCHEMAS.map(([, file]) => file))
for (const [schema, file, typeName, undeclared] of SCHEMAS) {
  await t.test(`the rows of ${file} have the names, types and nulls of the columns`, async (t) => {
    const columns = (await readColumns(schema)).filter(({ table }) => !undeclared.includes(table))
    const declared = readRowTypes(source, file, typeName)
    const stored = await readStored(columns, declared)
    t.ok(columns.length > 0)
    t.strictSame(Object.keys(declared).toSorted(), Object.keys(stored).toSorted())
    for (const table of Object.keys(stored)) t.strictSame(declared[table], stored[table], table)
  })
}
