import { globSync } from 'node:fs'
import path from 'node:path'
import { Transform, type TransformCallback } from 'node:stream'
import { inspect, styleText } from 'node:util'
import t from 'tap'

/*
 * The report of `npm test` (`reporter` in .taprc): one line per group of test files with its failures in full, the
 * files left out, and finally `N passed, N failed`. It counts assertions, as tap does.
 */

// tap does not export its parser by name.
const Parser = t.parser.constructor as new () => typeof t.parser

type Result = Parameters<typeof t.parser.emitAssert>[0]
const DETAILS = { depth: 10, breakLength: 110, maxStringLength: null }

type Diagnostics = Record<string, unknown>

/** Reads a run's TAP and writes the report except its closing line. */
class TestReport extends Transform {
  readonly #parser = new Parser()
  readonly #total = { passed: 0, failed: 0, skipped: 0 }
  /** The file whose results are arriving. */
  #file = { passed: 0, failed: 0, skipped: 0 }
  #details: string[] = []
  #ending: Result | undefined
  /** The folders of test/groups that something ran from. */
  readonly #ran = new Set<string>()

  constructor() {
    super({ decodeStrings: false })
    // A file ends with an assertion at the outermost level, its own result.
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

  /** `N passed, N failed`, and `, N skipped` if there are any. A failed run never says `0 failed`. */
  closingLine(exitCode: number): string {
    const { passed, failed, skipped } = this.#total
    return countsOf({ passed, failed: exitCode === 0 ? failed : Math.max(1, failed), skipped })
  }

  /** After the quick set, says which groups are in no run so far, and how to run them. */
  leftOut(): string {
    if (!this.#ran.has('quick')) return ''
    const folders = ['gate', 'nightly'].filter((folder) => !this.#ran.has(folder))
    return folders.map((folder) => `left out: ${groupsIn(folder)}; npm run test:${folder} runs them\n`).join('')
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
    this.#ran.add(folderOf(result.name))
    // A file that has no assertions, or that fails without a failed one (it was killed, or exited with an error),
    // counts as one itself; any other file counts by its assertions.
    if (result.skip || result.todo || (!result.ok && this.#file.failed === 0)) this.#count(result)
    const verdict = result.ok ? paint('green', 'ok  ') : paint('red', 'FAIL')
    const seconds = result.time === null ? '' : `  ${(result.time / 1000).toFixed(1)} s`
    this.push(`${verdict} ${result.name}  ${paint('dim', countsOf(this.#file) + seconds)}\n`)
    for (const line of this.#details) this.push(`${line}\n`)
    this.#file = { passed: 0, failed: 0, skipped: 0 }
    this.#details = []
  }

  /** Shows a test's standard output. */
  #showOutput(parser: typeof t.parser): void {
    parser.on('extra', (text: string) => this.#details.push(`  | ${text.trimEnd()}`))
    parser.on('child', (child: typeof t.parser) => this.#showOutput(child))
  }
}

/** tap loads this. It writes the closing line after the run, so that nothing follows it. */
export default class ClosingLineReporter extends TestReport {
  constructor() {
    super()
    process.once('exit', (exitCode) => {
      process.stdout.write(`\n${this.leftOut()}${this.closingLine(exitCode)}\n`)
    })
  }
}

function folderOf(group: string): string {
  return path.basename(path.dirname(group))
}

function groupsIn(folder: string): string {
  const names = globSync(`test/groups/${folder}/*.test.ts`).map((file) => path.basename(file, '.test.ts'))
  return `${names.length} groups of test/groups/${folder} (${names.toSorted().join(', ')})`
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
  const details = result.closingTestPoint || 'externalID' in others ? endOfProcess(others) : others
  if (Object.keys(details).length > 0) lines.push(...indent(inspect(details, DETAILS)))
  if (typeof stack === 'string') lines.push(...indent(stack))
  return lines
}

/** For a whole file tap also reports how it was run; only its end matters. */
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
