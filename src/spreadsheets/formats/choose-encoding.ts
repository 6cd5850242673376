import { trimBlanks } from '../../text/normalize-text.ts'
import type { Encoding } from '../encodings/encodings.ts'
import { ENCODINGS } from '../encodings/encodings.ts'
import { FileQuestion } from './file-question.ts'
import type { EncodingGuess } from '../encodings/letter-statistics.ts'
import { rankEncodings } from '../encodings/letter-statistics.ts'

/** The score that text of a language has, and by how much it must exceed that of any other reading. */
const CLEAR_SCORE = 0.85
const CLEAR_LEAD = 0.2
/** Text of MS-DOS, which no decoder knows, looks like one of this encoding. */
const NEVER_CLEAR: Encoding = 'macintosh'
const MAX_CHOICES = 4
const NO_BREAK_SPACE = 0xa0

/** Chooses the encoding of lines by their letters if these leave no doubt. Throws FileQuestion with the likely ones. */
export async function chooseEncoding(sample: Buffer): Promise<Encoding> {
  // A blank that keeps words together is the same byte in all encodings of Windows, and a letter in those of MS-DOS.
  if (sample.every((byte) => byte < 0x80 || byte === NO_BREAK_SPACE)) return 'windows-1252'
  const ranked = await rankEncodings(sample)
  const [best, second] = ranked as [EncodingGuess, ...EncodingGuess[]]
  const isClear = best.score >= CLEAR_SCORE && best.score - (second?.score ?? 0) >= CLEAR_LEAD
  if (isClear && best.encoding !== NEVER_CLEAR) return best.encoding
  const likely = ranked.slice(0, MAX_CHOICES)
  const samples = listSamples(likely.map(({ text }) => text))
  throw new FileQuestion(
    'encoding',
    'The encoding of the file is not certain',
    likely.map(({ encoding }, at) => ({ value: encoding, name: ENCODINGS[encoding], samples: samples[at]! })),
  )
}

const MAX_SAMPLES = 4
const MAX_SAMPLE_LENGTH = 60

/** Lists cells that have other letters than ASCII, of each reading of a text: first those that it reads differently. */
function listSamples(readings: readonly string[]): string[][] {
  const cells = readings.map((text) => text.split(/[,;|"\t\r\n]+/).filter((cell) => /[^\0-\x7f]/.test(cell)))
  const differs = (at: number) => cells.every((list, other) => other === 0 || list[at] !== cells[0]![at])
  const places = [...cells[0]!.keys()]
  const chosen = [...places.filter(differs), ...places.filter((at) => !differs(at))]
  return cells.map((list) => [...new Set(chosen.map((at) => cleanCell(list[at] ?? '')))].slice(0, MAX_SAMPLES))
}

/**
 * Shows characters without a sign as U+FFFD, so that a wrong reading looks wrong, apart from the joiners and direction
 * marks of Persian, Arabic, and Hebrew.
 */
function cleanCell(cell: string): string {
  return [...trimBlanks(cell).replaceAll(/[^\P{C}\u200c-\u200f]/gu, '\ufffd')].slice(0, MAX_SAMPLE_LENGTH).join('')
}
