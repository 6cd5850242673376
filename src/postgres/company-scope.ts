import { AsyncLocalStorage } from 'node:async_hooks'

/* The company that the running code works for. It uses a share of the connections. */

/** The company of a request is known once its credentials are read. */
export interface CompanyScope {
  companyId: string | null
}

const scope = new AsyncLocalStorage<CompanyScope>()

/** Runs a task in a scope. */
export function runInScope<Result>(within: CompanyScope, task: () => Result): Result {
  return scope.run(within, task)
}

/** Runs a task for a company. */
export function inCompany<Result>(companyId: string, task: () => Result): Result {
  return scope.run({ companyId }, task)
}

/** Runs a task for no company. */
export function outsideCompany<Result>(task: () => Result): Result {
  return scope.run({ companyId: null }, task)
}

/** Says for which company the rest of the scope runs. Does nothing outside of a scope. */
export function enterCompany(companyId: string): void {
  const current = scope.getStore()
  if (current) current.companyId = companyId
}

/** The company that the running code works for; null if that is not known. */
export function currentCompany(): string | null {
  return scope.getStore()?.companyId ?? null
}
