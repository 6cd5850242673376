import { existsSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { chromium } from 'playwright-core'

const SYSTEM_BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Starts a real Chromium: the system's, or the one that comes inside a package. */
export async function launchChromium(): Promise<Browser> {
  const found = SYSTEM_BROWSERS.find((path) => existsSync(path))
  return chromium.launch(found === undefined ? await packaged() : { executablePath: found, args: ['--no-sandbox'] })
}

async function packaged(): Promise<{ executablePath: string; args: string[] }> {
  const { default: sparticuz } = await import('@sparticuz/chromium')
  return { executablePath: await sparticuz.executablePath(), args: sparticuz.args }
}
