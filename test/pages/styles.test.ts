import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'

const PAGES = path.join(import.meta.dirname, '../../src/pages')
const STYLES = path.join(PAGES, 'assets/styles')
const TOKENS = 'tokens.css'

const files = globSync('*.css', { cwd: STYLES }).map((file) => ({ file, text: readStyle(file) }))

/** The text of a style sheet without its comments. */
function readStyle(file: string): string {
  return readFileSync(path.join(STYLES, file), 'utf8').replaceAll(/\/\*[^]*?\*\//g, '')
}

/** Where a page changes its form. Conditions of media queries cannot use tokens. */
const BREAKPOINT = /\((?:(?:4[08]rem < )?width (?:<=?|>=?) (?:22|40|48|60|70|75|90)rem|height > 64rem)\)/g
const LITERALS = [
  /#[\da-f]{3,8}\b/gi,
  /\b(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color|light-dark)\(/g,
  /:[^;{]*\b(?:white|black|red|green|blue|gray|grey|silver|yellow|orange)\b/g,
  /(?<![\w-])-?[\d.]*[1-9][\d.]*(?:px|rem|em|ex|ch|pt|cm|mm|in)\b/g,
]

/** Lists the colors and sizes of a style sheet that have no name. */
function findLiterals(text: string): string[] {
  const rules = text.replaceAll(/@media[^{]*/g, (condition) => condition.replaceAll(BREAKPOINT, ''))
  return LITERALS.flatMap((literal) => rules.match(literal) ?? [])
}

await t.test('every color and size of the pages has a name in one file', async (t) => {
  t.ok(files.length > 10 && files.some(({ file }) => file === TOKENS))
  for (const { file, text } of files.filter(({ file }) => file !== TOKENS)) t.strictSame(findLiterals(text), [], file)
  t.ok(findLiterals(readStyle(TOKENS)).length > 50)
  for (const literal of ['color: #fff', 'color: rgb(0 0 0)', 'color: white', 'margin: -0.5rem', 'border: 1px solid'])
    t.equal(findLiterals(`a { ${literal}; }`).length, 1, literal)
  t.equal(findLiterals('@media (width <= 41rem) { a { margin: 0; } }').length, 1, 'another breakpoint')
})

await t.test('every name that a style uses is defined, and every name that is defined is used', (t) => {
  const all = files.map(({ text }) => text).join('\n')
  const defined = new Set([...all.matchAll(/(--[\w-]+):/g)].map(([, name]) => name!))
  const used = new Set([...all.matchAll(/var\((--[\w-]+)/g)].map(([, name]) => name!))
  t.strictSame(
    [...used].filter((name) => !defined.has(name)),
    [],
  )
  t.strictSame(
    [...defined].filter((name) => !used.has(name)),
    [],
  )
  t.end()
})

await t.test('headings of the first level and buttons have one size on all pages, and buttons a small one', (t) => {
  const rules = files.flatMap(({ text }) => [...text.matchAll(/([^{}]+)\{([^{}]*)\}/g)])
  const count = (selector: RegExp, property: RegExp) =>
    rules.filter(([, names, body]) => selector.test(names!) && property.test(body!)).length
  t.equal(count(/\bh1\s*$/, /font-size:/), 1)
  t.equal(count(/\bbutton\b/, /height:|padding:/), 1)
  t.equal(count(/./, /--control-height:/), 1)
  t.end()
})

await t.test('no page has a style of its own', (t) => {
  for (const file of globSync('**/*.{ts,js}', { cwd: PAGES }))
    t.notMatch(readFileSync(path.join(PAGES, file), 'utf8'), /\sstyle="/, file)
  t.end()
})
