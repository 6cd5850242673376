import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { Cleanup } from '../support/cleanup.ts'
import { openGround } from './open-ground.ts'
import type { BatchOutcome } from './run-batch.ts'
import { runBatch } from './run-batch.ts'

/*
 * `npm run fuzz -- --inputs N --seed S [--minutes M] [--path P]`: hostile requests to every route, in batches of which
 * each has a seed of its own, S, S + 1, … Prints each thing that was found with what shows it again, and a summary;
 * exit code 1 when anything was found. With --path, which a finding names, that one request is sent alone.
 */

const BATCH_INPUTS = 500
const SIDE_BY_SIDE = 4
const TOLD_EVERY = 20

const { values } = parseArgs({ options: { inputs: { type: 'string', default: '10000' }, seed: { type: 'string', default: '1' }, minutes: { type: 'string', default: '1440' }, path: { type: 'string' } } })
const [inputs, firstSeed, minutes] = [Number(values.inputs), Number(values.seed), Number(values.minutes)]
if (![inputs, firstSeed].every(Number.isSafeInteger) || !(minutes > 0)) throw new Error('--inputs and --seed are whole numbers, --minutes is a number')

const print = (text: string) => void process.stdout.write(`${text}\n`)
const cleanup = new Cleanup()
const until = performance.now() + minutes * 60_000
const outcomes: BatchOutcome[] = []
const found: string[] = []

function tell(findings: string[]): void {
  for (const finding of findings) print(`FOUND ${finding}`)
  found.push(...findings)
}

/** Starts or stops a PostgreSQL beside that of the tests, whose name is in TEST_SERVER. */
function runScript(name: string): void {
  const { status } = spawnSync(process.execPath, [`test/support/${name}`], { stdio: 'inherit' })
  if (status !== 0) throw new Error(`${name} has failed`)
}

try {
  runScript('start-postgres.ts')
  cleanup.teardown(() => runScript('stop-postgres.ts'))
  const ground = await openGround({ teardown: (step) => cleanup.teardown(step as () => unknown) }, SIDE_BY_SIDE)
  const batches = values.path === undefined ? Math.ceil(inputs / BATCH_INPUTS) : 1
  let next = 0
  const work = async () => {
    while (next < batches && performance.now() < until) {
      const at = next
      next += 1
      const size = Math.min(BATCH_INPUTS, inputs - at * BATCH_INPUTS)
      const outcome = await runBatch(ground, { seed: firstSeed + at, inputs: size, ...(values.path === undefined ? {} : { path: values.path }) })
      outcomes.push(outcome)
      tell(outcome.found)
      if (outcomes.length % TOLD_EVERY === 0) print(`${sent()} sent`)
    }
  }
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work))
  tell(await ground.end())
} finally {
  await cleanup.run()
}

function sent(): number {
  return outcomes.reduce((sum, outcome) => sum + outcome.sent, 0)
}

const statuses = new Map<number, number>()
for (const outcome of outcomes) for (const [status, count] of outcome.statuses) statuses.set(status, (statuses.get(status) ?? 0) + count)
const slowest = outcomes.map((outcome) => outcome.slowest).toSorted((a, b) => b.tookMs - a.tookMs)[0]
print(`${sent()} requests in ${outcomes.length} batches, seeds ${firstSeed} to ${firstSeed + outcomes.length - 1}`)
print(`statuses (0 is a connection cut while a large body was sent): ${[...statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => `${status} ${count} times`).join(', ')}`)
print(`slower than a second: ${outcomes.reduce((sum, { slow }) => sum + slow, 0)}; the slowest ${Math.round(slowest?.tookMs ?? 0)} ms: ${slowest?.what ?? ''}`)
print(`${found.length} found`)
process.exit(found.length === 0 ? 0 : 1)
