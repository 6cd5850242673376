import { toUuid } from '#domain/ids'
import type { Queryable } from '#postgres/query-client'

/** Finds those of email addresses whose people have no external id, active or not. */
export async function findWithoutExternalId(
  db: Queryable,
  companyId: string,
  emails: readonly string[],
): Promise<string[]> {
  // With OFFSET, PostgreSQL looks for each address in the index.
  const { rows } = await db.query<{ email: string }>(
    `select d.email from unnest($2::text[]) as wanted(email) cross join lateral (
       select email from employee_directory
       where company_id = $1 and email = wanted.email and external_id is null offset 0) d`,
    [toUuid(companyId), emails],
  )
  return rows.map(({ email }) => email)
}
