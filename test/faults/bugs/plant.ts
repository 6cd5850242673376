import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync, readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import type { Batch } from '../../../src/workers/project.ts'
import { shiftClock } from '../../support/shift-clock.ts'
import type { Death } from '../program.ts'
import { PLANTS } from './plants.ts'
import type { Replacement } from './plants.ts'

/*
 * Tests load this before the program (`node --import`). PLANT names replacements in its sources; CLOCK_SKEW_MS shifts
 * its clock. The process kills itself at the stage that a message names, or KILL_STAGE and KILL_AT from its start. The
 * file FOLDS_FROM_MEMORY gets a character for each batch folded from memory.
 */

const { PLANT, KILL_STAGE, KILL_AT, CLOCK_SKEW_MS, FOLDS_FROM_MEMORY } = process.env

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

function dieAt({ stage, passes }: Death): void {
  let passed = 0
  subscribe(stage, () => {
    passed += 1
    if (passed >= passes) process.kill(process.pid, 'SIGKILL')
  })
}

if (KILL_STAGE !== undefined) dieAt({ stage: KILL_STAGE, passes: Number(KILL_AT) })
process.on('message', (death: Death) => dieAt(death))
// The program ends when it wants to.
process.channel?.unref()

if (FOLDS_FROM_MEMORY !== undefined) {
  subscribe('employee-ledger.fold.moved', (batches) => {
    const fromMemory = (batches as Batch[]).filter(({ leaf }) => leaf !== null).length
    if (fromMemory > 0) appendFileSync(FOLDS_FROM_MEMORY, '.'.repeat(fromMemory))
  })
}

if (CLOCK_SKEW_MS !== undefined) shiftClock(Number(CLOCK_SKEW_MS))
