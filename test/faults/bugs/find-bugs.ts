import type { Test } from 'tap'
import type { Finding } from '../oracle/finding.ts'
import type { Bug } from './plants.ts'
import { BUGS } from './plants.ts'
import type { Plant, Supervised } from '../program.ts'
import { runFault } from '../run.ts'
import type { Stage } from '../stage.ts'

const QUIET = 'nothing'
const SETTLES_WITHIN_MS = 4_000
// What a bug has broken may never be answered.
const RESOLVES_WITHIN_MS = 5_000
const TRIES = 3
/** Each of the eight clients makes every kind of call. */
const CALLS = 120

/** Plants each bug of a kind of process, and asserts that the oracle finds it, by the kind of its findings. */
export async function assertFound(t: Test, stage: Stage, kind: Bug['process']): Promise<void> {
  const processes = kind === 'worker' ? stage.workers : stage.apis
  for (const [name, bug] of Object.entries(BUGS)) {
    if (bug.process !== kind) continue
    await t.test(`it finds a program that ${name}`, async (t) => {
      await restart(processes, { name })
      const found = await findIn(stage, bug, processes)
      t.ok(isFound(bug, found), `found: ${found.map(({ kind: of, text }) => `${of}: ${text}`).join('; ')}`)
    })
  }
}

async function restart(processes: Supervised[], plant?: Plant): Promise<void> {
  await Promise.all(processes.map((process) => process.restart('SIGTERM', plant)))
  await Promise.all(processes.map((process) => process.ready()))
}

/**
 * A bug that depends on timing gets several tries, and so does one that a death shows: a worker that has just started may
 * die while it retries what an earlier bug has left, instead of amid the calls of this one.
 */
async function findIn(stage: Stage, bug: Bug, processes: Supervised[]): Promise<Finding[]> {
  let found: Finding[] = []
  for (let tries = 0; tries < TRIES && !isFound(bug, found); tries += 1) {
    if (bug.killAt) for (const process of processes) process.dieAt(bug.killAt)
    const options = {
      settlesWithinMs: SETTLES_WITHIN_MS,
      resolveWithinMs: RESOLVES_WITHIN_MS,
      looksAtTimes: false,
      callsAtLeast: CALLS,
      times: 1,
    }
    found = (await runFault(stage, bug.shownBy ?? QUIET, tries + 1, options)).wrong
  }
  return found
}

function isFound(bug: Bug, found: Finding[]): boolean {
  return found.some(({ kind }) => bug.found.includes(kind))
}
