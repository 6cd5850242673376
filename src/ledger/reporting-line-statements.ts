import type { ClientBase } from 'pg'
import { fromUuid, toUuid } from '../domain/ids.ts'

/** An employee of a company. */
export interface OfCompany {
  companyId: string
  employeeId: string
}

/** Those among these employees who are somebody's manager. */
export async function findSuperiors(client: ClientBase, employees: OfCompany[]): Promise<string[]> {
  const { rows } = await client.query<{ employee_id: string }>({
    name: 'find-superiors',
    text: `select wanted.employee_id from unnest($1::uuid[], $2::uuid[]) as wanted(company_id, employee_id)
      where exists (select 1 from employee_snapshots s
        where s.company_id = wanted.company_id and s.manager_id = wanted.employee_id)`,
    values: columns(employees),
  })
  return rows.map(({ employee_id: id }) => fromUuid('emp', id))
}

/** The managers of these employees, and theirs, up to the top: who has whom as manager. */
export async function loadManagerChains(
  client: ClientBase,
  employees: OfCompany[],
): Promise<(OfCompany & { managerId: string })[]> {
  const { rows } = await client.query<{ company_id: string; employee_id: string; manager_id: string }>({
    name: 'load-manager-chains',
    // UNION leaves out what was found before, so that even a circle in the table would end.
    text: `with recursive chain as (
        select s.company_id, s.employee_id, s.manager_id
        from unnest($1::uuid[], $2::uuid[]) as wanted(company_id, employee_id)
        join employee_snapshots s on s.company_id = wanted.company_id and s.employee_id = wanted.employee_id
        union
        select s.company_id, s.employee_id, s.manager_id
        from chain join employee_snapshots s on s.company_id = chain.company_id and s.employee_id = chain.manager_id
      )
      select company_id, employee_id, manager_id from chain where manager_id is not null`,
    values: columns(employees),
  })
  return rows.map((row) => ({
    companyId: fromUuid('com', row.company_id),
    employeeId: fromUuid('emp', row.employee_id),
    managerId: fromUuid('emp', row.manager_id),
  }))
}

function columns(employees: OfCompany[]): [string[], string[]] {
  return [employees.map(({ companyId }) => toUuid(companyId)), employees.map(({ employeeId }) => toUuid(employeeId))]
}
