import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { Test } from 'tap'
import type { Role } from '../../../src/domain/accounts/roles.ts'
import { launchChromium } from './chromium.ts'
import { afterAll } from '../after-all.ts'
import { OWN_PAGE } from '../http/sessions.ts'
import type { Service, TestCompany } from '../service.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const PATIENCE_MS = 30_000

let shared: Promise<Browser> | undefined

/** A real Chromium, which all tests of this process share: each has pages in contexts of its own. */
export function openBrowser(): Promise<Browser> {
  return (shared ??= launch())
}

async function launch(): Promise<Browser> {
  const browser = await launchChromium()
  browser.once('disconnected', () => (shared = undefined))
  afterAll(() => browser.close())
  return browser
}

/** A page in its own browser context (no other cookies), and everything that went wrong in it so far. */
export interface WatchedPage {
  page: Page
  /** Errors of scripts, of the console, and violations of the content security policy. */
  faults: string[]
}

/** Opens a page on the service. The browser refuses to leave the loopback. */
export async function openPage(
  t: Test,
  browser: Browser,
  service: Service,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({
    baseURL: service.address,
    viewport: { width: 1200, height: 900 },
    ...options,
  })
  t.teardown(() => context.close())
  context.setDefaultTimeout(PATIENCE_MS)
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(`script: ${error.message}`))
  page.on('console', (message) => {
    // The browser reports an expected refusal as a loading error; that is not the page's fault.
    if (message.type() === 'error' && !/the server responded with a status of 4\d\d/.test(message.text()))
      faults.push(`console: ${message.text()}`)
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(service.address)) faults.push(`outside address: ${request.url()}`)
  })
  return { page, faults }
}

/**
 * Signs a user of a company in with the password, and opens the first page. The browser gets the cookie without showing
 * the form, which takes as long as three pages: the tests of `sign-in` fill it.
 */
export async function signIn(page: Page, company: TestCompany, role: Role): Promise<void> {
  const { email, password } = company[role]
  const answer = await page.context().request.post('/sign-in', {
    form: { email, password },
    headers: { ...OWN_PAGE, 'user-agent': String(await page.evaluate('navigator.userAgent')) },
    maxRedirects: 0,
  })
  const { location } = answer.headers()
  if (location === undefined) throw new Error(`signing in was answered with ${answer.status()}`)
  await page.goto(location)
}

/** Fills the sign-in page that is open. */
export async function giveCredentials(page: Page, { email, password }: { email: string; password: string }) {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** The faults that axe-core finds on a page (WCAG 2.2 A and AA, good practice), one line per fault and element. */
export async function axeFaults(page: Page): Promise<string[]> {
  // The debugger evaluates this, so the page's policy does not apply.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(`{ const module = undefined; ${AXE} }`)
  const found = await page.evaluate(`(async () => {
    const { violations } = await window.axe.run(document, { resultTypes: ['violations'] })
    return violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ' ' + target.join(' ') + ': ' + failureSummary))
  })()`)
  return found as string[]
}

/** How many pixels a page is wider than its window. */
async function sidewaysScroll(page: Page): Promise<number> {
  return page.evaluate(() => {
    const { document, innerWidth } = globalThis as unknown as {
      document: { documentElement: { scrollWidth: number } }
      innerWidth: number
    }
    return document.documentElement.scrollWidth - innerWidth
  })
}

/** The questions of buttons that make a page too wide once they are opened, one line each. */
async function wideQuestions(page: Page): Promise<string[]> {
  const faults: string[] = []
  for (const question of await page.locator('details.confirm').all()) {
    await question.evaluate((details) => details.setAttribute('open', ''))
    const wider = await sidewaysScroll(page)
    if (wider > 0) faults.push(`${await question.textContent()} is ${wider} px too wide`)
    await question.evaluate((details) => details.removeAttribute('open'))
  }
  return faults
}

/**
 * Loads a page and checks its looks in both color schemes and at three widths, with all of its sections open. Returns
 * one line per fault.
 */
export async function looksOf(page: Page, path: string): Promise<string[]> {
  await page.goto(path)
  await page.locator('details.section').evaluateAll((sections) => {
    for (const section of sections) section.setAttribute('open', '')
  })
  return look(page, path)
}

/** Checks the open page in the same way, for a form's answer that is there only once. */
export async function looksOfAnswer(page: Page): Promise<string[]> {
  return look(page, new URL(page.url()).pathname)
}

/** Both color schemes and every width, but not each with each other: judging a page is slow. */
const LOOKS = [
  ['light', 320],
  ['light', 800],
  ['dark', 1600],
] as const

/** No page measures its window when it loads, so one that is open looks the same as one that is loaded again. */
async function look(page: Page, path: string): Promise<string[]> {
  const faults: string[] = []
  const size = page.viewportSize()!
  for (const [colorScheme, width] of LOOKS) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 900 })
    const wider = await sidewaysScroll(page)
    if (wider > 0) faults.push(`${path} at ${width} px is ${wider} px too wide`)
    if (width === 320) faults.push(...(await wideQuestions(page)).map((fault) => `${path}: ${fault}`))
    if (width !== 800)
      faults.push(...(await axeFaults(page)).map((fault) => `${path} ${colorScheme} ${width}: ${fault}`))
  }
  await page.emulateMedia({ colorScheme: null })
  await page.setViewportSize(size)
  return faults
}
