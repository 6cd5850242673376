import t from 'tap'
import { keepBody as keepPart, MAX_BODY_CHARACTERS } from '../../../src/domain/calls/rejected-body.ts'

const secret = `el_live_${'0'.repeat(26)}_${'aB3'.repeat(16)}x`

/** Keeps a body, given as a whole. */
const keepBody = (text: string, bytes: number, errorAt: number | null) =>
  keepPart({ text, errorAt, bytes, isFromStart: true, isToEnd: true, linesBefore: 0, columnsBefore: 0 })

await t.test('a short body is kept whole, with the line and column of its error', async (t) => {
  const body = '{\n  "a": 1,\n  "b": 2\n  "c": 3\n}'
  const at = body.indexOf('"c"')
  t.strictSame(keepBody(body, 31, at), { text: body, bytes: 31, truncated: false, error: { at, line: 4, column: 3 } })
  t.strictSame(keepBody('[', 1, 1).error, { at: 1, line: 1, column: 2 }, 'the end is a place')
  t.strictSame(keepBody('[]\n', 3, 3).error, { at: 3, line: 2, column: 1 })
  t.equal(keepBody('7', 1, null).error, null)
})

await t.test(
  'of a long body, the part around the error is kept, and the place is that in the whole body',
  async (t) => {
    const lines = Array.from({ length: 20_000 }, (_, at) => `{"n": ${at}},\n`).join('')
    for (const line of [1, 2, 500, 10_000, 19_999, 20_000]) {
      const at = lines.split('\n', line - 1).join('\n').length + (line > 1 ? 1 : 0) + 2
      const kept = keepBody(lines, lines.length, at)
      t.match(kept, { bytes: lines.length, truncated: true, error: { line, column: 3 } })
      t.ok(kept.text.length <= MAX_BODY_CHARACTERS && kept.text.length > MAX_BODY_CHARACTERS - 1_100)
      const around = [Math.max(0, kept.error!.at - 30), kept.error!.at + 30] as const
      const shift = at - kept.error!.at
      t.equal(kept.text.slice(...around), lines.slice(around[0] + shift, around[1] + shift))
    }
    t.equal(keepBody(lines, lines.length, null).text, lines.slice(0, keepBody(lines, 1, null).text.length))
  },
)

await t.test('no part of a name or secret is left at the ends', async (t) => {
  for (const word of ['ana.perez@example.com', secret]) {
    for (let at = -70; at <= 2; at += 1) {
      const half = MAX_BODY_CHARACTERS / 2
      const before = `${'x '.repeat((half + at) / 2)} ${word} `
      const { text } = keepBody(before.padEnd(4 * half, ' y').repeat(3), 1, 5 * half)
      const words = new Set(text.split(' '))
      for (const one of words) t.match(one, /^(?:|x|y|ana\.perez@example\.com|el_live_\*{76})$/)
    }
  }
})

await t.test('secrets are masked, and the place of the error stays right', async (t) => {
  const body = `{"note": "${secret}", webhook: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "a": el_}`
  const at = body.indexOf('webhook')
  const { text, error } = keepBody(body, body.length, at)
  t.equal(text, `{"note": "el_live_${'*'.repeat(76)}", webhook: "whsec_${'*'.repeat(32)}", "a": el_}`)
  t.equal(error!.at, at)
})

await t.test(
  'what PostgreSQL cannot store is left out or replaced, and the place of the error stays right',
  async (t) => {
    t.match(keepBody('[\0"a\0"}', 7, 6), { text: '["a"}', error: { at: 4, column: 7 } })
    t.ok(keepBody('🙂'.repeat(MAX_BODY_CHARACTERS), 1, MAX_BODY_CHARACTERS + 1).text.isWellFormed())
  },
)
