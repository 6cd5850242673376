import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Cleanup } from '../support/cleanup.ts'
import { openGround } from './open-ground.ts'
import { byKind, byRoute, sentIn, summary } from './report.ts'
import type { BatchOutcome } from './run-batch.ts'
import { runBatch } from './run-batch.ts'

/*
 * `npm run fuzz -- --inputs N --seed S [--minutes M] [--out FILE] [--path P]`: hostile requests to every route, in
 * batches with the seeds S, S + 1, … Prints each finding with the options that reproduce it, and a summary; exit code
 * 1 when anything was found. With --path, which a finding names, it sends that one request. FILE gets the summary as
 * JSON, with the requests and answers of each route.
 */

const BATCH_INPUTS = 1_000
const SIDE_BY_SIDE = 16
const TELLS_EVERY_MS = 10_000

const { values } = parseArgs({
  options: {
    inputs: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '1440' },
    out: { type: 'string' },
    path: { type: 'string' },
  },
})
const [inputs, firstSeed, minutes] = [Number(values.inputs), Number(values.seed), Number(values.minutes)]
if (![inputs, firstSeed].every(Number.isSafeInteger) || !(minutes > 0))
  throw new Error('--inputs and --seed are whole numbers, --minutes is a number')

const print = (text: string) => void process.stdout.write(`${text}\n`)
const cleanup = new Cleanup()
const outcomes: BatchOutcome[] = []
const found: string[] = []
let sendingMs = 0

function report(findings: string[]): void {
  for (const finding of findings) print(`FOUND ${finding}`)
  found.push(...findings)
}

/** Starts or stops a second PostgreSQL besides the tests' own, under the name in TEST_SERVER. */
function runScript(name: string): void {
  const { status } = spawnSync(process.execPath, [`test/support/postgres/${name}`], { stdio: 'inherit' })
  if (status !== 0) throw new Error(`${name} has failed`)
}

try {
  runScript('start-postgres.ts')
  cleanup.teardown(() => runScript('stop-postgres.ts'))
  const ground = await openGround({ teardown: (step) => cleanup.teardown(step as () => unknown) }, SIDE_BY_SIDE)
  const batches = values.path === undefined ? Math.ceil(inputs / BATCH_INPUTS) : 1
  const startedAt = performance.now()
  const until = startedAt + minutes * 60_000
  let [next, sent] = [0, 0]
  const progress = () =>
    print(
      `${sent} of ${inputs} sent, up to seed ${firstSeed + next - 1}, ${rate(sent, performance.now() - startedAt)} a second, ${found.length} found`,
    )
  const timer = setInterval(progress, TELLS_EVERY_MS)
  const work = async () => {
    while (next < batches && performance.now() < until) {
      const at = next
      next += 1
      const size = Math.min(BATCH_INPUTS, inputs - at * BATCH_INPUTS)
      const batch = {
        seed: firstSeed + at,
        inputs: size,
        onSent: () => (sent += 1),
        ...(values.path === undefined ? {} : { path: values.path }),
      }
      const outcome = await runBatch(ground, batch)
      outcomes.push(outcome)
      report(outcome.found)
    }
  }
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work)).finally(() => clearInterval(timer))
  sendingMs = performance.now() - startedAt
  report(await ground.end())
} finally {
  await cleanup.run()
}

function rate(count: number, ms: number): number {
  return Math.round((count / ms) * 1_000)
}

print(byKind(outcomes))
const total = sentIn(outcomes)
const { slow, slowest } = summary(outcomes)
print(`slower than a second: ${slow}; the slowest ${slowest.tookMs} ms: ${slowest.what}`)
print(
  `${total} requests in ${outcomes.length} batches, seeds ${firstSeed} to ${firstSeed + outcomes.length - 1}, ${Math.round(sendingMs / 1_000)} s, ${rate(total, sendingMs)} a second, ${found.length} found`,
)
if (values.out !== undefined) {
  const figures = {
    inputs: total,
    seeds: [firstSeed, firstSeed + outcomes.length - 1],
    seconds: Math.round(sendingMs / 1_000),
    slowerThanASecond: slow,
    slowest,
    found,
    routes: byRoute(outcomes),
  }
  writeFileSync(values.out, `${JSON.stringify(figures, null, 2)}\n`)
}
process.exit(found.length === 0 ? 0 : 1)
