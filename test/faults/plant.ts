import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { PLANTS } from './plants.ts'

/*
 * Loaded before the program by tests alone (`node --import`): replaces texts in its sources as they are read. PLANT names
 * the replacement, KILL_AT how often its place may be passed before the process ends itself, CLOCK_SKEW_MS by how much
 * the clock of this process is wrong.
 */

const { PLANT, KILL_AT = '1', CLOCK_SKEW_MS } = process.env

if (PLANT !== undefined) {
  const planted = PLANTS[PLANT]
  if (!planted) throw new Error(`nothing is called ${PLANT}`)
  const target = new URL(`../../${planted.file}`, import.meta.url).href
  // At once, not when the file is first needed: a test must not go on without its bug.
  const source = replaced(readFileSync(new URL(target), 'utf8'))
  registerHooks({
    load: (url, context, next) => (url === target ? { ...next(url, context), source } : next(url, context)),
  })

  function replaced(text: string): string {
    const parts = text.split(planted!.find)
    if (parts.length !== 2) throw new Error(`the text of "${PLANT}" stands ${parts.length - 1} times in ${planted!.file}`)
    return parts.join(planted!.put)
  }
}

let passed = 0
Object.assign(globalThis, {
  faultPoint() {
    passed += 1
    if (passed >= Number(KILL_AT)) process.kill(process.pid, 'SIGKILL')
  },
})

if (CLOCK_SKEW_MS !== undefined) {
  const skew = Number(CLOCK_SKEW_MS)
  const RealDate = Date
  const now = RealDate.now.bind(RealDate)
  class SkewedDate extends RealDate {
    constructor(...parts: [] | [string | number | Date]) {
      if (parts.length === 0) super(now() + skew)
      else super(...(parts as [string]))
    }
    static override now = () => now() + skew
  }
  globalThis.Date = SkewedDate as DateConstructor
}
