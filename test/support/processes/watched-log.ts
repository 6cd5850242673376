import type { Browser, Page } from 'playwright-core'
import type { Test } from 'tap'
import { openPage, signIn, type WatchedPage } from '../browser/browser.ts'
import { employee, send, type Service, type TestCompany } from '../service.ts'

/* The live list of Bulk User Logs in a browser. */

export const LOGS = '/settings/bulk-user-logs'

/** Makes a company's call and returns the id of its entry. */
export async function makeCall(address: string, company: TestCompany, body: object = employee()): Promise<string> {
  return (await send(address, 'POST', '/v1/employees', { key: company.key, body })).body.log_id as string
}

interface WatchedLog extends WatchedPage {
  company: TestCompany
  /** The id of the earlier entry. */
  first: string
}

/** Shows the live list to an administrator of a new company with one entry. */
export async function watchLog(
  t: Test,
  browser: Browser,
  service: Service,
  name: string,
  path = LOGS,
): Promise<WatchedLog> {
  const company = await service.makeCompany(name)
  const first = await makeCall(service.address, company)
  await service.project(company.id)
  const { page, faults } = await openPage(t, browser, service)
  await signIn(page, company, 'admin')
  await page.goto(path)
  await isLive(page)
  return { company, first, page, faults }
}

export const isLive = (page: Page) => page.locator('[data-live-status]', { hasText: /^Live$/ }).waitFor()
export const idsOf = (page: Page) =>
  page.locator('tbody tr').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-id')))
export const rowOf = (page: Page, id: string) => page.locator(`tbody tr[data-id="${id}"]`)
