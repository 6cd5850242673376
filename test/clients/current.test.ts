import { readFileSync } from 'node:fs'
import t from 'tap'
import type * as api from '../../clients/typescript/api-schemas.ts'
import { MAX_RECORDS } from '../../clients/typescript/batches.ts'
import { readArguments, type SendArguments } from '../../clients/typescript/send/read-arguments.ts'
import { readConfig } from '../../src/config.ts'
import { ATTRIBUTE_NAMES, ATTRIBUTE_RULES } from '../../src/domain/attributes.ts'
import { EmployeeBulkPatch } from '../../src/http/openapi/employee-schemas.ts'
import { DATE_TARGETS, PHONE_TARGETS } from '../../src/spreadsheets/mapping/mapping.ts'
import { RECORD_FIELDS } from '../../src/spreadsheets/mapping/record-columns.ts'
import { apiTypesOf } from '../../docs/openapi/api-types-of.ts'
import { declareClient } from '../../docs/openapi/client-declarations.ts'
import { cutClientPart } from '../../docs/openapi/client-part.ts'
import { currentDocument } from '../../docs/openapi/current-document.ts'
import { startService } from '../support/service.ts'

const service = await startService(t)
const document = await currentDocument()

await t.test('the client is generated from the document that the service serves', async (t) => {
  t.strictSame(document, (await service.call('GET', '/openapi.json', { key: null })).body)
})

await t.test('clients/typescript/api-types.ts is current: otherwise run `npm run client`', async (t) => {
  t.equal(readFileSync('clients/typescript/api-types.ts', 'utf8'), await apiTypesOf(cutClientPart(document)))
})

await t.test('clients/typescript/declarations.json is current: otherwise run `npm run client`', async (t) => {
  t.strictSame(JSON.parse(readFileSync('clients/typescript/declarations.json', 'utf8')), declareClient())
})

await t.test('a file can have a column for each field of a record', async (t) => {
  const fields: readonly (keyof api.EmployeeBulkPatch)[] = RECORD_FIELDS
  // The other way round, for the type check.
  const columns: readonly (typeof RECORD_FIELDS)[number][] = fields
  t.strictSame([...columns].toSorted(), Object.keys(EmployeeBulkPatch.properties).toSorted())
})

await t.test('a file has the dates and the phone numbers that employees have', async (t) => {
  const namesOf = (kind: string) => ATTRIBUTE_NAMES.filter((name) => ATTRIBUTE_RULES[name].kind === kind)
  t.strictSame([DATE_TARGETS, PHONE_TARGETS], [namesOf('date'), namesOf('phone')])
})

await t.test('the client and its command send as many records in a call as the service takes by default', async (t) => {
  const { MAX_RECORDS: taken } = readConfig({})
  const args = ['send', 'staff.csv', '--url', 'http://localhost', '--id', 'key_1']
  t.strictSame([MAX_RECORDS, (readArguments(args, { API_KEY: 'secret' }) as SendArguments).maxRecords], [taken, taken])
})
