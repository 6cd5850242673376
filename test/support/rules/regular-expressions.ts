import { RegExpParser, visitRegExpAST, type AST } from '@eslint-community/regexpp'
import ts from '@typescript/typescript6'
import type { SourceFile } from './source-files.ts'

/* Finds the regular expressions of the program, and texts on which a slow one takes long. */

/** What is found wherever an expression begins: a slash behind a sign or a word that no division follows. */
const MAY_BEGIN =
  /(?:^|[(,=:[!&|?{};]|=>|\.\.\.|\b(?:await|case|do|else|in|of|return|throw|typeof|void|yield))\s*\/(?![/*])/m

/** The regular expressions that a file writes out, each with its line. */
export function literalsOf({ text, path }: SourceFile): { place: string; regExp: RegExp }[] {
  if (!MAY_BEGIN.test(text)) return []
  const found: { place: string; regExp: RegExp }[] = []
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest)
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/')
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source))
      const regExp = new RegExp(node.text.slice(1, end), node.text.slice(end + 1))
      found.push({ place: `${path}:${line + 1}`, regExp })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** What characters of a class are looked for among, besides those that are written in it. */
const SAMPLES = [
  ...Array.from('a0A_ \t\n-.@/"\\:,;<>(){}[]é漢 \u0301\u200b\u0000!'),
  '\u{1f3f4}',
  '\u{e0061}',
  '\u{1f600}',
  '\ufe0f',
]

/** A short text that a part of an expression matches, as far as that is easy to say. */
function sampleOf(node: AST.Node | AST.Element, flags: string): string {
  switch (node.type) {
    case 'Character':
      return String.fromCodePoint(node.value)
    case 'CharacterSet':
    case 'CharacterClass':
    case 'ExpressionCharacterClass': {
      const one = new RegExp(`^(?:${node.raw})$`, flags.replaceAll(/[gy]/g, ''))
      return [...SAMPLES, ...Array.from(node.raw), ...writtenIn(node)].find((character) => one.test(character)) ?? ''
    }
    case 'Quantifier':
      return sampleOf(node.element, flags).repeat(Math.min(Math.max(node.min, 1), 8))
    case 'Group':
    case 'CapturingGroup':
    case 'Assertion':
    case 'Pattern':
      return 'alternatives' in node && !('negate' in node && node.negate) ? sampleOf(node.alternatives[0]!, flags) : ''
    case 'Alternative':
      return node.elements.map((element) => sampleOf(element, flags)).join('')
    // A reference repeats what was found, and the others are not listed among an expression's elements.
    case 'Backreference':
    case 'CharacterClassRange':
    case 'ClassIntersection':
    case 'ClassStringDisjunction':
    case 'ClassSubtraction':
    case 'Flags':
    case 'ModifierFlags':
    case 'Modifiers':
    case 'RegExpLiteral':
    case 'StringAlternative':
      return ''
  }
}

function writtenIn(node: AST.Node): string[] {
  const written: string[] = []
  visitRegExpAST(node, { onCharacterEnter: ({ value }) => written.push(String.fromCodePoint(value)) })
  return written
}

/** What stands in an expression before a part of it, as a text that it matches. */
function prefixOf(node: AST.Node, flags: string): string {
  const { parent } = node
  if (parent === null) return ''
  if (parent.type !== 'Alternative') return prefixOf(parent, flags)
  const before = parent.elements.slice(0, parent.elements.indexOf(node as AST.Element))
  return prefixOf(parent, flags) + before.map((element) => sampleOf(element, flags)).join('')
}

/** What is repeated, and what stands before and behind it, on which a slow expression may take long. */
export interface Pump {
  before: string
  repeated: string
  behind: string
}

/** Makes texts from the characters of an expression: for each part that it repeats, and for each of its characters. */
export function listPumps({ source, flags }: RegExp): Pump[] {
  const isUnicode = flags.includes('u') || flags.includes('v')
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, {
    unicode: isUnicode && !flags.includes('v'),
    unicodeSets: flags.includes('v'),
  })
  const pumps = new Map<string, Pump>()
  const add = (before: string, repeated: string) => {
    if (repeated === '') return
    for (const behind of ['', '\u0001', '!a'])
      pumps.set([before, repeated, behind].join('\0'), { before, repeated, behind })
  }
  visitRegExpAST(pattern, {
    onQuantifierEnter(node) {
      if (node.max < 100) return
      const repeated = sampleOf(node.element, flags)
      add('', repeated)
      add(prefixOf(node, flags), repeated)
      add('', prefixOf(node, flags) + repeated)
      for (const character of writtenIn(node.element).slice(0, 4)) add(prefixOf(node, flags), character)
    },
  })
  add('', sampleOf(pattern, flags))
  return [...pumps.values()]
}
