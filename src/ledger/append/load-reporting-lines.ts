import { fromUuid } from '../../domain/ids.ts'
import { uuidArray } from '../../postgres/binary-arrays.ts'
import type { QueryClient } from '../../postgres/pipeline.ts'

/** An employee of a company. */
export interface OfCompany {
  companyId: string
  employeeId: string
}

/** An employee and their manager. */
interface ReportingLine extends OfCompany {
  managerId: string
}

interface LineRow {
  company_id: string
  employee_id: string
  manager_id: string
}

/** The direct and indirect subordinates of these employees, at most `limit`, in no order. */
export async function loadSubordinates(
  client: QueryClient,
  employees: OfCompany[],
  limit: number,
): Promise<ReportingLine[]> {
  const { rows } = await client.query<LineRow>({
    name: 'load-subordinates',
    // UNION drops rows that were found before, so that the query ends even if the table had a cycle.
    text: `with recursive below as (
        select s.company_id, s.employee_id, s.manager_id
        from unnest($1::uuid[], $2::uuid[]) as wanted(company_id, employee_id)
        join employee_directory s on s.company_id = wanted.company_id and s.manager_id = wanted.employee_id
        union
        select s.company_id, s.employee_id, s.manager_id
        from below join employee_directory s on s.company_id = below.company_id and s.manager_id = below.employee_id
      )
      select company_id, employee_id, manager_id from below limit $3`,
    values: [...columns(employees), String(limit)],
  })
  return rows.map(lineOf)
}

/** The direct and indirect managers of these employees. */
export async function loadSuperiors(client: QueryClient, employees: OfCompany[]): Promise<ReportingLine[]> {
  const { rows } = await client.query<LineRow>({
    name: 'load-superiors',
    text: `with recursive above as (
        select s.company_id, s.employee_id, s.manager_id
        from unnest($1::uuid[], $2::uuid[]) as wanted(company_id, employee_id)
        join employee_directory s on s.company_id = wanted.company_id and s.employee_id = wanted.employee_id
        union
        select s.company_id, s.employee_id, s.manager_id
        from above join employee_directory s on s.company_id = above.company_id and s.employee_id = above.manager_id
      )
      select company_id, employee_id, manager_id from above where manager_id is not null`,
    values: columns(employees),
  })
  return rows.map(lineOf)
}

function lineOf(row: LineRow): ReportingLine {
  return {
    companyId: fromUuid('com', row.company_id),
    employeeId: fromUuid('emp', row.employee_id),
    managerId: fromUuid('emp', row.manager_id),
  }
}

function columns(employees: OfCompany[]): Buffer[] {
  return [
    uuidArray(employees.map(({ companyId }) => companyId)),
    uuidArray(employees.map(({ employeeId }) => employeeId)),
  ]
}
