import { newId } from '../bootstrap.ts'
import { issueApiKey } from '../commands/issue-api-key.ts'
import type { RefreshPeriod } from '../domain/company.ts'
import { print } from './print.ts'
import { withStore } from './with-store.ts'

interface IssueOptions {
  company: string
  name: string
  quotaLimit: number
  refreshPeriod: RefreshPeriod
  json?: boolean
}

/** `key issue`: an API key of a company. */
export async function issueKey({ company: companyId, name, quotaLimit, refreshPeriod, json }: IssueOptions) {
  const key = { companyId, name, quotaLimit, refreshPeriod }
  const issued = await withStore(({ store: { pool } }) => issueApiKey({ pool, newId }, key))
  print({ ...issued }, json)
}
