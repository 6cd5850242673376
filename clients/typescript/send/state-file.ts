import { createHash, randomUUID } from 'node:crypto'
import { link, open, readFile, rename, rm } from 'node:fs/promises'
import type { EmployeeLedgerError } from '../errors.ts'
import { CommandError, usageError } from './exit-codes.ts'

/** How many records a run has created, changed, and left as they were, and how many were refused. */
export interface Totals {
  created: number
  changed: number
  unchanged: number
  /** Records that were refused. Absent in runs of earlier versions, as the next one. */
  refused?: number
  /** Records of inactive people that set no status; among the others, too. */
  inactive?: number
}

/** How far a run has come. */
export interface RunState {
  /** What is sent where: a run goes on only with the same. */
  fingerprint: string
  /** Random: the idempotency keys are derived from it, and from the file. */
  run: string
  /** The number of records that the run is done with: applied, or refused beside others that were. */
  applied: number
  totals: Totals
  /**
   * The ids of the employees who are not in the file, once they are to be deactivated; how many of them were tried, how
   * many are deactivated, with those of earlier lists, and how many were refused.
   */
  missing?: { ids: string[]; done: number; deactivated: number; refused?: number }
}

/** Begins a run. `facts` is all that decides what is sent where. */
export function createState(facts: unknown): RunState {
  return {
    fingerprint: createHash('sha256').update(JSON.stringify(facts)).digest('hex'),
    run: randomUUID(),
    applied: 0,
    totals: { created: 0, changed: 0, unchanged: 0, inactive: 0 },
  }
}

/**
 * Stores a new run; if the file has a run with the same facts, that run is returned instead. Of two processes that
 * begin at once, both get the same run. Throws CommandError if the file cannot be used.
 */
export async function beginRun(path: string, state: RunState): Promise<RunState> {
  const stored = await readState(path)
  if (stored?.fingerprint === state.fingerprint) return stored
  if (stored) {
    await writeState(path, state)
    return state
  }
  const written = await writeBeside(path, state)
  try {
    await link(written, path)
    return state
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw stateError(path, error)
    return await beginRun(path, state)
  } finally {
    await rm(written, { force: true })
  }
}

/** Replaces the file, so that a process that dies leaves the old or the new state. */
export async function writeState(path: string, state: RunState): Promise<void> {
  const written = await writeBeside(path, state)
  try {
    await rename(written, path)
  } catch (error) {
    throw stateError(path, error)
  }
}

/**
 * After an answer, the next run needs other idempotency keys, or it would get the same answer. After a lost answer it
 * must have the same ones.
 */
export async function keepAnswer(path: string, state: RunState, error: EmployeeLedgerError): Promise<void> {
  if (error.mayHaveTakenEffect && error.code !== 'idempotency_response_expired') return
  await writeState(path, { ...state, run: createState(null).run })
}

/** Removes the file of a run that is complete. */
export async function endRun(path: string): Promise<void> {
  await rm(path, { force: true })
}

async function writeBeside(path: string, state: RunState): Promise<string> {
  const beside = `${path}.${randomUUID()}`
  try {
    const file = await open(beside, 'wx', 0o600)
    try {
      await file.writeFile(`${JSON.stringify(state)}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    return beside
  } catch (error) {
    throw stateError(path, error)
  }
}

function stateError(path: string, error: unknown): CommandError {
  const { code = String(error) } = error as NodeJS.ErrnoException
  return usageError(`cannot write the state file ${path}: ${code}; choose another one with --state`)
}

async function readState(path: string): Promise<RunState | null> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return null
    throw usageError(`cannot read the state file ${path}: ${code}; choose another one with --state`)
  }
  try {
    const state = JSON.parse(text) as Partial<RunState>
    if (typeof state.fingerprint === 'string' && typeof state.run === 'string' && Number.isInteger(state.applied))
      return state as RunState
  } catch {
    // Not the state of a run either.
  }
  throw usageError(`${path} is not the state of a run; choose another one with --state`)
}
