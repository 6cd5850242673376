import { existsSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { chromium } from 'playwright-core'

const SYSTEM_BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Starts a real Chromium: the system's, or the one from a package. */
export async function launchChromium(): Promise<Browser> {
  const executablePath = SYSTEM_BROWSERS.find((path) => existsSync(path)) ?? (await unpackChromium())
  // Without the package's recommended arguments: in a single process, Chromium ends with the first page of a second
  // context.
  return chromium.launch({ executablePath, args: ['--no-sandbox'] })
}

async function unpackChromium(): Promise<string> {
  const { default: sparticuz } = await import('@sparticuz/chromium')
  return sparticuz.executablePath()
}
