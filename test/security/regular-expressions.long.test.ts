import { pathToFileURL } from 'node:url'
import vm from 'node:vm'
import t from 'tap'
import { listPumps, literalsOf, type Pump } from '../support/rules/regular-expressions.ts'
import { readSources } from '../support/rules/source-files.ts'

/*
 * The time of every regular expression that meets input grows with the length of the text, not with its square. Each is
 * tried over long texts of its own characters, so new ones are found by themselves.
 */

/** Expressions that may take longer, each with the reason. */
const ALLOWED: Readonly<Record<string, string>> = {
  [String(/\/+$/)]: 'addresses in settings and options of the operator',
  [String(/=+$/)]: 'the padding of hashes that the service makes',
  [String(/[?&]host=[^&]*,/)]: 'the address of the database, a setting of the operator',
  [String(/\0+$/)]: 'the end of a file of checkpoints, cut to the length of a note',
  ...Object.fromEntries(
    [
      /[T ]\s*[0-9]{1,2}[:.][0-9]{2}(?:[:.][0-9]{2}(?:[.,][0-9]{1,9})?)?(?:\s?[ap]\.?m\.?)?(?:\s?(?:Z|UTC|[+-][0-9]{2}:?[0-9]{2}))?$/i,
      /[T ]\s*(?:00?:00(?::00(?:\.0+)?)?|12:00(?::00)?\s*a\.?m\.?)\s*(?:Z|UTC|[+-]00:?00)?$/i,
      /\s+\[[^\]]*\](?: (?:required|optional)$)?|\s*\((?:required|optional|pflichtfeld|obligatoire|[0-9]+|[dmyjat./ -]+)\)|\s*\*+\s*$/gi,
      /\s*[,、，]\s*/,
    ].map((regExp) => [String(regExp), 'cells and beginnings of files, which are read in a process of its own']),
  ),
}

const LONG = 1 << 16
/** A linear expression takes about a millisecond; a quadratic one takes seconds. */
const MOST_MS = 100

const sources = readSources('src', 'projections', 'clients')

/** Those that are made when a file is loaded. */
const made: { place: string; regExp: RegExp }[] = []
const Native = globalThis.RegExp
for (const { path, text } of sources) {
  if (!text.includes('new RegExp(')) continue
  // Afterwards, what it imports is loaded, and makes none.
  await import(pathToFileURL(path).href)
  globalThis.RegExp = class extends Native {
    constructor(...args: ConstructorParameters<typeof Native>) {
      super(...args)
      made.push({ place: path, regExp: new Native(...args) })
    }
  } as typeof Native
  try {
    await import(`${pathToFileURL(path).href}?made`)
  } finally {
    globalThis.RegExp = Native
  }
}

const script = new vm.Script(`void new RegExp(source, flags).test(text)`)
const context = vm.createContext({})

/** Whether an expression takes long, in several tries: others may use the processor meanwhile. */
function isSlow(regExp: RegExp, { before, repeated, behind }: Pump, tries: number): boolean {
  const text = before + repeated.repeat(LONG / repeated.length) + behind
  Object.assign(context, { source: regExp.source, flags: regExp.flags.replace('g', ''), text })
  for (; tries > 0; tries -= 1) {
    try {
      script.runInContext(context, { timeout: MOST_MS })
      return false
    } catch (error) {
      if ((error as { code?: string }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    }
  }
  return true
}

await t.test('no regular expression takes long over a text of its own characters', async (t) => {
  const all = [...sources.flatMap(literalsOf), ...made]
  t.ok(all.length > 100 && made.length > 0, 'they are found')
  const slow = all.flatMap(({ place, regExp }) => {
    const tries = Object.hasOwn(ALLOWED, String(regExp)) ? 1 : 3
    const pump = listPumps(regExp).find((one) => isSlow(regExp, one, tries))
    return pump ? { place, regExp: String(regExp), ...pump } : []
  })
  const unexpected = slow.filter(({ regExp }) => !Object.hasOwn(ALLOWED, regExp))
  t.strictSame(unexpected, [])
  const needed = new Set(slow.map(({ regExp }) => regExp))
  t.strictSame(
    Object.keys(ALLOWED).filter((regExp) => !needed.has(regExp)),
    [],
    'all allowed ones still exist and are slow',
  )
})

await t.test('the test finds slow ones', async (t) => {
  for (const slow of [/\s+$/, /(?<=\u{1f3f4}[\u{e0061}-\u{e007a}]*)[\u{e0061}-\u{e007f}]/u, /^(a+)+$/, /a.*b/])
    t.ok(
      listPumps(slow).some((pump) => isSlow(slow, pump, 1)),
      String(slow),
    )
})
