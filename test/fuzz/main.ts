import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { Command, InvalidArgumentError } from 'commander'
import { Cleanup } from '../support/cleanup.ts'
import { countOption, outOption, seedOption } from '../support/command-line.ts'
import { byKind, byRoute, sentIn, summary } from './report.ts'
import type { BatchOutcome } from './run-batch.ts'

/*
 * `npm run fuzz -- --help`: hostile requests to every route, in batches that each have a seed. Prints each finding with
 * the options that reproduce it, and a summary; exit code 1 when anything was found.
 */

const BATCH_INPUTS = 1_000
const SIDE_BY_SIDE = 16
const TELLS_EVERY_MS = 10_000
const INPUTS_AT_MOST = 100_000_000
const MINUTES_AT_MOST = 1_440

interface Options {
  inputs: number
  seed: number
  minutes: number
  out?: string
  path?: string
}

const options = new Command('npm run fuzz --')
  .description('Send hostile requests to every route, and check every answer (docs/security.md).')
  .addOption(countOption('inputs', INPUTS_AT_MOST, 'how many requests').default(10_000))
  .addOption(seedOption('seed of the first batch; the next has the next one'))
  .addOption(countOption('minutes', MINUTES_AT_MOST, 'start no batch after this time').default(MINUTES_AT_MOST))
  .addOption(outOption('write the summary as JSON, with the requests and answers of each route'))
  .option('--path <path>', 'send only the request at this path of the seed, as a finding names it', parsePath)
  .parse()
  .opts<Options>()
const { inputs, seed: firstSeed, minutes } = options

function parsePath(path: string): string {
  if (/^[0-9]+(?::[0-9]+)*$/.test(path)) return path
  throw new InvalidArgumentError('It must be whole numbers with colons between them.')
}

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
  // Loaded only now, so that help and usage errors are fast.
  const [{ openGround }, { runBatch }] = await Promise.all([import('./open-ground.ts'), import('./run-batch.ts')])
  const ground = await openGround({ teardown: (step) => cleanup.teardown(step as () => unknown) }, SIDE_BY_SIDE)
  if (ground.raw.withoutProxy !== null) print(`no body goes through HAProxy: ${ground.raw.withoutProxy}`)
  const batches = options.path === undefined ? Math.ceil(inputs / BATCH_INPUTS) : 1
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
        ...(options.path === undefined ? {} : { path: options.path }),
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
const { slow, slowest, longestWork } = summary(outcomes)
print(`slower than a second: ${slow}; the slowest ${slowest.tookMs} ms: ${slowest.what}`)
print(
  `the longest work of the event loop, of every tenth batch: ${longestWork.tookMs} ms of CPU time: ${longestWork.what}`,
)
print(
  `${total} requests in ${outcomes.length} batches, seeds ${firstSeed} to ${firstSeed + outcomes.length - 1}, ${Math.round(sendingMs / 1_000)} s, ${rate(total, sendingMs)} a second, ${found.length} found`,
)
if (options.out !== undefined) {
  const figures = {
    inputs: total,
    seeds: [firstSeed, firstSeed + outcomes.length - 1],
    seconds: Math.round(sendingMs / 1_000),
    slowerThanASecond: slow,
    slowest,
    longestWork,
    found,
    routes: byRoute(outcomes),
  }
  writeFileSync(options.out, `${JSON.stringify(figures, null, 2)}\n`)
}
process.exit(found.length === 0 ? 0 : 1)
