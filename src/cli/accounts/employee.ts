import { eraseEmployee } from '#personal-data/erase-employee'
import type { NamedPerson } from '#personal-data/find-person'
import { reportEmployee } from '#personal-data/report-employee'
import { confirm } from '../terminal/confirm.ts'
import { UsageError } from '../terminal/fail-with.ts'
import { changeAsOperator, type CompanyOptions, type ReportOptions, writeReport } from './operator.ts'

type Identifiers = { id?: string; email?: string; externalId?: string; userName?: string }
type Options = CompanyOptions & { yes?: boolean } & Identifiers

/** `employee erase`: erases an employee, or a person who appears only in refused records. */
export async function erasePerson({ company, yes, ...named }: Options) {
  const person = readPerson(named)
  await confirm("This erases the person and all of their data in the company's ledger.", yes)
  const erased = await changeAsOperator(company, eraseEmployee, person)
  return { employee_id: erased.employeeId, positions: erased.positions, position: erased.position }
}

/** `employee report`: writes what is held about an employee, or a person who appears only in refused records. */
export async function reportPerson(options: ReportOptions & Identifiers) {
  await writeReport(options, reportEmployee, readPerson(options))
}

function readPerson({ id, email, externalId, userName }: Identifiers): NamedPerson {
  if (id !== undefined) return { by: 'id', value: id }
  if (email !== undefined) return { by: 'email', value: email }
  if (externalId !== undefined) return { by: 'external_id', value: externalId }
  if (userName !== undefined) return { by: 'user_name', value: userName }
  throw new UsageError('identify the person with --id, --email, --external-id, or --user-name')
}
