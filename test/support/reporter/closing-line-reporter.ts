import { globSync } from 'node:fs'
import { Transform, type TransformCallback } from 'node:stream'
import { inspect, styleText } from 'node:util'
import t from 'tap'
import { isQuick } from '../quick.ts'
import { LONG } from '../run-files.ts'

/*
 * How `npm test` reports (`reporter` in .taprc): one line for each group of test files, its failures in full below it, what was
 * left out, and as the very last line `N passed, N failed`. Assertions are counted, as tap counts them.
 */

// tap exports its parser under no name of its own.
const Parser = t.parser.constructor as new () => typeof t.parser

type Result = Parameters<typeof t.parser.emitAssert>[0]
const DETAILS = { depth: 10, breakLength: 110, maxStringLength: null }

type Diagnostics = Record<string, unknown>

/** Reads the TAP of a run and writes the report, all but its closing line. */
export class TestReport extends Transform {
  readonly #parser = new Parser()
  readonly #total = { passed: 0, failed: 0, skipped: 0 }
  /** The file whose results are coming in. */
  #file = { passed: 0, failed: 0, skipped: 0 }
  #details: string[] = []
  #ending: Result | undefined

  constructor() {
    super({ decodeStrings: false })
    // A file ends with an assertion of the outermost level, which is its own result.
    this.#parser.on('assert', (result: Result) => this.#endFile(result))
    this.#parser.on('result', (result: Result) => result !== this.#ending && this.#count(result))
    this.#parser.on('bailout', (reason: string) => this.#details.push(`  bailed out: ${reason}`))
    this.#showOutput(this.#parser)
  }

  override _transform(chunk: string, _: BufferEncoding, done: TransformCallback): void {
    this.#parser.write(chunk)
    done()
  }

  override _flush(done: TransformCallback): void {
    this.#parser.end()
    done()
  }

  /** `N passed, N failed`, and `, N skipped` if any were. A run that fails never says `0 failed`. */
  closingLine(exitCode: number): string {
    const { passed, failed, skipped } = this.#total
    return countsOf({ passed, failed: exitCode === 0 ? failed : Math.max(1, failed), skipped })
  }

  #count(result: Result): void {
    const outcome = result.skip || result.todo ? 'skipped' : result.ok ? 'passed' : 'failed'
    this.#file[outcome] += 1
    this.#total[outcome] += 1
    if (outcome === 'skipped') this.#details.push(skipLine(result))
    if (outcome === 'failed') this.#details.push(...failureLines(result))
  }

  #endFile(result: Result): void {
    this.#ending = result
    // A file that has nothing to show, or that fails without a failed assertion (it was killed, or left with an exit
    // code of its own), counts as one itself; any other file counts by its assertions.
    if (result.skip || result.todo || (!result.ok && this.#file.failed === 0)) this.#count(result)
    const verdict = result.ok ? paint('green', 'ok  ') : paint('red', 'FAIL')
    const seconds = result.time === null ? '' : `  ${(result.time / 1000).toFixed(1)} s`
    this.push(`${verdict} ${result.name}  ${paint('dim', countsOf(this.#file) + seconds)}\n`)
    for (const line of this.#details) this.push(`${line}\n`)
    this.#file = { passed: 0, failed: 0, skipped: 0 }
    this.#details = []
  }

  /** What a test wrote to its standard output. */
  #showOutput(parser: typeof t.parser): void {
    parser.on('extra', (text: string) => this.#details.push(`  | ${text.trimEnd()}`))
    parser.on('child', (child: typeof t.parser) => this.#showOutput(child))
  }
}

/** What tap loads: it writes the closing line when the run is over, so that nothing comes after it. */
export default class ClosingLineReporter extends TestReport {
  constructor() {
    super()
    process.once('exit', (exitCode) => {
      const leftOut = isQuick ? `\n${leftOutLine(globSync(`test/**/*${LONG}`))}\n` : ''
      process.stdout.write(`${leftOut}\n${this.closingLine(exitCode)}\n`)
    })
  }
}

/** Says which test files a quick run leaves out, by their folders. */
export function leftOutLine(files: string[]): string {
  const counts = Object.entries(Object.groupBy(files.toSorted(), (file) => file.split(/[/.]/)[1]!))
  const folders = counts.map(([folder, { length } = []]) => `${folder} ${length}`).join(', ')
  return `left out: ${files.length} long test files (${folders}); npm run test:all runs them`
}

function countsOf({ passed, failed, skipped }: { passed: number; failed: number; skipped: number }): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}

function skipLine({ fullname, skip, todo }: Result): string {
  const reason = skip || todo
  return `  skipped: ${fullname}${typeof reason === 'string' ? ` (${reason})` : ''}`
}

function failureLines(result: Result): string[] {
  const { diff, stack, at, source: _, ...others } = (result.diag ?? {}) as Diagnostics
  const lines = [`  ${paint('red', `not ok: ${result.fullname}`)}`]
  const place = at as { fileName?: string; lineNumber?: number; columnNumber?: number } | undefined
  if (place?.fileName !== undefined) lines.push(`    ${place.fileName}:${place.lineNumber}:${place.columnNumber}`)
  if (typeof diff === 'string') lines.push(...indent(diff))
  const told = result.closingTestPoint || 'externalID' in others ? endOfProcess(others) : others
  if (Object.keys(told).length > 0) lines.push(...indent(inspect(told, DETAILS)))
  if (typeof stack === 'string') lines.push(...indent(stack))
  return lines
}

/** Of a whole file tap tells how it was run, too; what matters is how it ended. */
function endOfProcess({ exitCode, signal, expired }: Diagnostics): Diagnostics {
  const known = Object.entries({ exitCode, signal, expired })
  return Object.fromEntries(known.filter(([, value]) => value !== null && value !== undefined))
}

function indent(text: string): string[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `      ${line}`)
}

function paint(style: Parameters<typeof styleText>[0], text: string): string {
  return styleText(style, text, { stream: process.stdout })
}
