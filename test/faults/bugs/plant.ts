import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync, readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import type { Batch } from '../../../src/workers/project.ts'
import { PLANTS } from './plants.ts'
import type { Replacement } from './plants.ts'

/*
 * Tests load this before the program (`node --import`). PLANT names replacements in its sources; KILL_STAGE is the
 * stage at which the process kills itself, and KILL_AT how often it passes it first; CLOCK_SKEW_MS shifts its clock.
 * The file FOLDS_FROM_MEMORY gets a character for each batch folded from memory.
 */

const { PLANT, KILL_STAGE, KILL_AT = '1', CLOCK_SKEW_MS, FOLDS_FROM_MEMORY } = process.env

const wanted: Replacement[] = []
if (PLANT !== undefined) {
  const planted = PLANTS[PLANT]
  if (!planted) throw new Error(`nothing is called ${PLANT}`)
  wanted.push(...planted)
}

const sources = new Map<string, string>()
for (const replacement of wanted) {
  const target = new URL(`../../../${replacement.file}`, import.meta.url).href
  // Read at once, not on first use: a test must not run without its bug.
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

if (KILL_STAGE !== undefined) {
  let passed = 0
  subscribe(KILL_STAGE, () => {
    passed += 1
    if (passed >= Number(KILL_AT)) process.kill(process.pid, 'SIGKILL')
  })
}

if (FOLDS_FROM_MEMORY !== undefined) {
  subscribe('employee-ledger.fold.moved', (batches) => {
    const fromMemory = (batches as Batch[]).filter(({ leaf }) => leaf !== null).length
    if (fromMemory > 0) appendFileSync(FOLDS_FROM_MEMORY, '.'.repeat(fromMemory))
  })
}

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
