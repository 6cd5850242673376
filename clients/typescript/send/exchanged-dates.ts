import { exchangeDay } from '../../../src/spreadsheets/read-date.ts'
import { readName } from '../../../src/spreadsheets/cells.ts'
import { DATE_ORDERS, isDate } from '../../../src/spreadsheets/mapping.ts'
import type { RowKeys } from '../../../src/spreadsheets/plan-rows.ts'
import { EmployeeLedgerError } from '../errors.ts'
import type { EmployeeClient } from '../employee-client.ts'
import { CommandError } from './exit-codes.ts'
import { explainFailure } from './explain-failure.ts'
import type { OpenedFile } from './open-file.ts'
import type { SendArguments } from './read-arguments.ts'

/**
 * Refuses a file whose dates would mostly become other days than are stored, with the day and the month exchanged, as
 * where a system has begun to write them in another order. Their values alone don't tell. Throws CommandError.
 */
export async function refuseExchanged(
  client: EmployeeClient,
  file: OpenedFile,
  { path, choices: { answers } }: SendArguments,
  signal: AbortSignal,
): Promise<void> {
  const isAnswered = (header: string) =>
    answers.some(({ about, column }) => about === 'dates' && column === readName(header))
  const columns = (file.mapping?.columns ?? []).filter(
    ({ header, to }) => isDate(to) && file.doubted.includes(to) && !isAnswered(header),
  )
  if (columns.length === 0) return
  const rows = new Map<string, RowKeys['dates']>()
  for await (const { external_id: id, email, dates } of file.readKeys()) {
    const key = id ?? email
    if (key !== undefined) rows.set(key, dates)
  }
  const counts = columns.map((column) => ({ column, exchanged: 0, same: 0 }))
  try {
    for await (const person of client.employees({}, { signal }))
      for (const count of counts) {
        const to = count.column.to as 'start_date'
        const date = (rows.get(person.external_id ?? '') ?? rows.get(person.email ?? ''))?.[to]
        if (date === undefined || exchangeDay(date) === null) continue
        if (person[to] === date) count.same += 1
        else if (person[to] === exchangeDay(date)) count.exchanged += 1
      }
  } catch (error) {
    if (!(error instanceof EmployeeLedgerError)) throw error
    throw explainFailure(error, { path, file, first: 0, records: [] }, 'Nothing was applied.')
  }
  const turned = counts.filter(({ exchanged, same }) => exchanged > same)
  if (turned.length === 0) return
  const lines = turned.flatMap(({ column: { header, to }, exchanged }) => [
    `${path}: the day and the month of ${exchanged} dates of ${to} would be exchanged, as they are stored. Answer with:`,
    `  --answer '${readName(header)}:dates=${DATE_ORDERS.join('|')}'`,
  ])
  throw new CommandError('refused', lines.join('\n'))
}
