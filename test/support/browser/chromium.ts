import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Browser } from 'playwright-core'
import { chromium } from 'playwright-core'

const SYSTEM_BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const PACKAGES = path.join(import.meta.dirname, '../../../node_modules')

/** Starts a real Chromium: the system's, or the one from a package. */
export async function launchChromium(): Promise<Browser> {
  const executablePath = SYSTEM_BROWSERS.find((file) => existsSync(file)) ?? (await unpackChromium())
  // Without the package's recommended arguments: in a single process, Chromium ends with the first page of a second
  // context.
  return chromium.launch({ executablePath, args: ['--no-sandbox'] })
}

const UNPACK = "import chromium from '@sparticuz/chromium'; await chromium.executablePath()"

/**
 * Unpacks the browser unless that was done before. Processes may do so at once: each unpacks into a folder of its own,
 * and the first to finish gives its folder the final name, so nobody starts a browser that is still being written.
 */
async function unpackChromium(): Promise<string> {
  const manifest = await readFile(path.join(PACKAGES, '@sparticuz/chromium/package.json'), 'utf8')
  const { version } = JSON.parse(manifest) as { version: string }
  const folder = path.join(PACKAGES, '.cache', `chromium-${version}`)
  const executable = path.join(folder, 'chromium')
  if (existsSync(executable)) return executable
  await mkdir(path.dirname(folder), { recursive: true })
  const unpacked = await mkdtemp(`${folder}-`)
  try {
    // The package unpacks into the system's folder for temporary files, which a variable names.
    const env = { ...process.env, TMPDIR: unpacked }
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', UNPACK], { cwd: PACKAGES, env })
    await rename(unpacked, folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(unpacked, { recursive: true, force: true })
  }
  return executable
}
