import { appendFileSync, readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { COUNTS_FOLDS, PLANTS } from './plants.ts'
import type { Replacement } from './plants.ts'

/*
 * Loaded before the program by tests alone (`node --import`): replaces texts in its sources as they are read. PLANT names
 * the replacement, KILL_AT how often its place may be passed before the process ends itself, CLOCK_SKEW_MS by how much
 * the clock of this process is wrong. The file FOLDS_FROM_MEMORY gets a character for each batch that is folded from memory.
 */

const { PLANT, KILL_AT = '1', CLOCK_SKEW_MS, FOLDS_FROM_MEMORY } = process.env

const wanted = FOLDS_FROM_MEMORY === undefined ? [] : [COUNTS_FOLDS]
if (PLANT !== undefined) {
  const planted = PLANTS[PLANT]
  if (!planted) throw new Error(`nothing is called ${PLANT}`)
  wanted.push(planted)
}

const sources = new Map<string, string>()
for (const replacement of wanted) {
  const target = new URL(`../../../${replacement.file}`, import.meta.url).href
  // At once, not when the file is first needed: a test must not go on without its bug.
  sources.set(target, replaced(sources.get(target) ?? readFileSync(new URL(target), 'utf8'), replacement))
}
if (sources.size > 0) {
  registerHooks({
    load: (url, context, next) =>
      sources.has(url) ? { ...next(url, context), source: sources.get(url)! } : next(url, context),
  })
}

function replaced(text: string, { file, find, put }: Replacement): string {
  const parts = text.split(find)
  if (parts.length !== 2) throw new Error(`the text that ${PLANT} replaces stands ${parts.length - 1} times in ${file}`)
  return parts.join(put)
}

let passed = 0
Object.assign(globalThis, {
  countFoldsFromMemory(count: number) {
    if (FOLDS_FROM_MEMORY !== undefined && count > 0) appendFileSync(FOLDS_FROM_MEMORY, '.'.repeat(count))
  },
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
