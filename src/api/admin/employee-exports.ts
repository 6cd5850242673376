import type { FastifyInstance } from 'fastify'
import { Type } from '@sinclair/typebox'
import { readCompany } from '../../accounts/companies/read-company.ts'
import { userOf } from '../../http/access/authorize-user.ts'
import { STREAMED_ROUTE } from '../../http/access/heavy-reads.ts'
import { formatFileTime, sendAttachment } from '../../http/server/attachment.ts'
import { streamTexts, type Reader } from '../../http/server/text-stream.ts'
import type { Reads } from '../../ledger/read/reads.ts'
import { CSV_ANSWER, CSV_TYPE, writeCsv } from '../../log/csv-text.ts'
import { listAllPeople, PEOPLE_COLUMNS } from '../../people/people-columns.ts'
import { PeopleQuery, readPeopleFilter } from '../../people/people-filter.ts'
import { WORKBOOK_TYPE, writeWorkbook } from '../../people/write-workbook.ts'
import { databaseTime } from '../../postgres/database-clock.ts'

const FORMATS = {
  csv: {
    operationId: 'exportEmployees',
    summary: 'Export the employees as CSV',
    type: CSV_TYPE,
    response: CSV_ANSWER,
    write: (people: ReturnType<typeof listAllPeople>) => writeCsv(PEOPLE_COLUMNS, people),
  },
  xlsx: {
    operationId: 'exportEmployeesAsWorkbook',
    summary: 'Export the employees as a workbook, whose cells are all texts',
    type: WORKBOOK_TYPE,
    response: {
      200: {
        description: 'A workbook (.xlsx) of one sheet.',
        content: { [WORKBOOK_TYPE]: { schema: Type.String({ format: 'binary' }) } },
      },
    },
    write: (people: ReturnType<typeof listAllPeople>) => writeWorkbook('Employees', PEOPLE_COLUMNS, people),
  },
} as const

interface ExportServices extends Pick<Reader, 'authorize'> {
  reads: Reads
}

/** `GET /admin/v1/employees.csv` and `.xlsx`: the list of people as a file to download. */
export function employeeExports(app: FastifyInstance, { reads, authorize }: ExportServices): void {
  for (const [extension, { type, write, ...about }] of Object.entries(FORMATS)) {
    const schema = {
      ...about,
      description:
        'One column for each attribute, custom attributes as JSON in one. Rows are streamed as they are read.',
      querystring: PeopleQuery,
    }
    app.get(`/employees.${extension}`, { ...STREAMED_ROUTE, schema }, async (request, reply) => {
      const { order, ...query } = request.query
      const { companyId } = userOf(request)
      const db = await reads.of(companyId, request.left)
      const { timeZone } = await readCompany(db, companyId)
      const people = listAllPeople(db, companyId, readPeopleFilter(query, timeZone), order)
      const file = await streamTexts({ request, reply, authorize }, write(people))
      return sendAttachment(reply, `employees-${formatFileTime(databaseTime())}.${extension}`, type, file)
    })
  }
}
