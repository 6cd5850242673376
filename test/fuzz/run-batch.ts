import fc from 'fast-check'
import type { LoopUse } from '../support/processes/event-loop-watchdog.ts'
import type { Service } from '../support/service.ts'
import type { RawRequest } from './any-raw-body.ts'
import type { FuzzedRequest } from './any-request.ts'
import { bytesOf } from './hostile-json.ts'
import { changeAtOnce } from './change-uploads.ts'
import { correctAtOnce, uploadHostileFiles } from './hostile-uploads.ts'
import type { answerJudge } from './judge-answer.ts'
import type { Promised } from './judge-ledger.ts'
import { companyFaults, notePromise, nothingPromised } from './judge-ledger.ts'
import type { RawGround } from './raw-ground.ts'
import type { FuzzedAnswer, Sender } from './send-request.ts'
import type { Things, World } from './world.ts'
import { erasePeopleInPaths, eraseUser, makeWorld } from './world.ts'

/** What the batches share. */
export interface Ground {
  service: Service
  requests: fc.Arbitrary<FuzzedRequest>
  rawRequests: fc.Arbitrary<RawRequest>
  raw: RawGround
  judge: ReturnType<typeof answerJudge>
  /**
   * Every `PROCESS_EVERY`th batch goes to the separate process by sockets, the others to this process's service in
   * memory.
   */
  senderOf(seed: number): Sender
  /** Reads the watchdog of that process; null for this one, which also makes and judges the requests. */
  readLoop(seed: number): Promise<LoopUse> | null
  /** The things of the company that nobody may touch. */
  theirs: Things
}

/** The result of a batch. */
export interface BatchOutcome {
  seed: number
  sent: number
  /** How many answers each route had with each status, 0 for none, as `kind METHOD url status`. */
  answers: Map<string, number>
  /** The slowest answer. */
  slowest: { tookMs: number; what: string }
  /** How many answers took longer than a second. */
  slow: number
  /** The longest work of a turn of the event loop, CPU time in milliseconds, and the request that was sent meanwhile. */
  longestWork: { tookMs: number; what: string }
  /** The findings, each with the options that reproduce it. */
  found: string[]
}

const SLOW_MS = 1_000
/** What is answered faster has not held up the event loop. */
const WATCHED_MS = 30
/** Ten times what a request may take: others run beside it, and a busy machine is slow. */
const MAX_WORK_MS = 500
/** From this size on, a request may be cut off while it is sent, because the server has already answered. */
const CUT_BYTES = 60_000

interface Batch {
  seed: number
  inputs: number
  /** The one request to send, as a path within the seed's inputs. */
  path?: string
  onSent?: () => void
}

/** For so many requests, one more has a body that is cut off, or is not as long as announced. */
const RAW_EVERY = 4

/**
 * Sends `inputs` generated requests and a few files to a company of their own, and then checks its ledger. Requests with bodies that are
 * cut off go to a second company: one that ends a session would break the other's streamed answers.
 */
export async function runBatch(ground: Ground, { seed, inputs, path, onSent }: Batch): Promise<BatchOutcome> {
  const { service, requests, rawRequests, raw, judge } = ground
  const sender = ground.senderOf(seed)
  const target = await makeTarget(ground)
  const rawTarget = await makeTarget(ground)
  const outcome: BatchOutcome = {
    seed,
    sent: 0,
    answers: new Map(),
    slowest: { tookMs: 0, what: '' },
    slow: 0,
    longestWork: { tookMs: 0, what: '' },
    found: [],
  }

  const sendAndJudge = async (request: FuzzedRequest): Promise<void> => {
    const answer = await sender.send(request, target.world).catch((error: unknown) => cutOff(request, error))
    outcome.sent += 1
    onSent?.()
    note(outcome, request, answer)
    notePromise(target.promised, request, answer)
    await target.world.renewAfter(request)
    const workMs = answer === null || answer.tookMs < WATCHED_MS ? 0 : await readWork(ground, seed)
    if (workMs > outcome.longestWork.tookMs) outcome.longestWork = { tookMs: workMs, what: shown(request) }
    if (workMs > MAX_WORK_MS) throw new Error(`takes the event loop for ${Math.round(workMs)} ms of CPU time`)
    const faults = answer ? judge(request, answer) : []
    if (faults.length > 0) throw new Error(faults.join('\n'))
  }
  const property = fc.asyncProperty(requests, sendAndJudge)
  const sendRaw = async (request: RawRequest): Promise<void> => {
    const status = await raw.send(request, rawTarget.world)
    note(outcome, request, status === null ? null : { status, tookMs: 0 })
    notePromise(rawTarget.promised, request, null)
    await rawTarget.world.renewAfter(request)
    if (status !== null && status >= 500 && ![501, 503].includes(status)) throw new Error(`is answered with ${status}`)
  }
  const rawRuns = path === undefined ? Math.ceil(inputs / RAW_EVERY) : 0
  const rawChecked = fc.check(fc.asyncProperty(rawRequests, sendRaw), { seed, numRuns: rawRuns, endOnFailure: true })
  const details = await fc.check(property, {
    seed,
    numRuns: inputs,
    skipEqualValues: true,
    ...(path === undefined ? {} : { path }),
  })
  if (details.failed) {
    const again = `--seed ${details.seed} --path ${details.counterexamplePath}`
    outcome.found.push(
      `${shown(details.counterexample![0])}\n  ${(details.errorInstance as Error).message.replaceAll('\n', '\n  ')}\n  again: ${again}`,
    )
  }
  const { failed, counterexample, errorInstance } = await rawChecked
  if (failed) {
    const fault = `${shown(counterexample![0])}\n  ${(errorInstance as Error).message}`
    outcome.found.push(`${fault}\n  again: --seed ${seed} --inputs ${inputs}`)
  }
  const uploads =
    path === undefined
      ? [
          ...(await uploadHostileFiles(service, target.world, seed)),
          ...(await correctAtOnce(service, target.world, target.promised)),
          ...(await changeAtOnce(service, target.world, target.promised, seed)),
        ]
      : []
  const faults = [...uploads, ...(await targetFaults(service, target)), ...(await targetFaults(service, rawTarget))]
  outcome.found.push(...faults.map((fault) => `${fault}\n  again: --seed ${seed} --inputs ${inputs}`))
  return outcome
}

/** The longest work of the event loop since the last reading, CPU time in milliseconds. */
async function readWork(ground: Ground, seed: number): Promise<number> {
  return (await ground.readLoop(seed))?.longestWorkMs ?? 0
}

/** A company that requests are sent to, and what their answers promise. */
interface Target {
  world: World
  promised: Promised
}

async function makeTarget({ service, theirs }: Ground): Promise<Target> {
  const world = await makeWorld(service, theirs)
  const promised = nothingPromised()
  // The call that making the world put into the log.
  const [made] = (await service.admin('/bulk-user-logs?limit=1', world.company.admin.token)).body.items as {
    id: string
  }[]
  promised.calls.set(made?.id ?? world.fill('{{log}}'), 201)
  return { world, promised }
}

async function targetFaults(service: Service, { world, promised }: Target): Promise<string[]> {
  const faults = [...(await eraseUser(service, world)), ...(await erasePeopleInPaths(service, world, promised))]
  return [...faults, ...(await companyFaults(service, world.company.id, promised))]
}

/** A missing answer is acceptable only for a large request. */
function cutOff(request: FuzzedRequest, error: unknown): null {
  const bytes = request.body === null ? 0 : bytesOf(request.body).length
  if (bytes > CUT_BYTES) return null
  throw new Error(`no answer: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
}

function note(
  outcome: BatchOutcome,
  request: FuzzedRequest,
  answer: Pick<FuzzedAnswer, 'status' | 'tookMs'> | null,
): void {
  const { kind, method, url } = request
  const name = `${kind} ${method} ${url} ${answer?.status ?? 0}`
  outcome.answers.set(name, (outcome.answers.get(name) ?? 0) + 1)
  if (!answer) return
  if (answer.tookMs > SLOW_MS) outcome.slow += 1
  if (answer.tookMs > outcome.slowest.tookMs) outcome.slowest = { tookMs: answer.tookMs, what: shown(request) }
}

const SHOWN_CHARACTERS = 1_500

function shown(request: FuzzedRequest): string {
  return JSON.stringify(request).slice(0, SHOWN_CHARACTERS)
}
