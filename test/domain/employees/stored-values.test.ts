import assert from 'node:assert/strict'
import fc from 'fast-check'
import { parsePhoneNumberWithError } from 'libphonenumber-js/max'
import t from 'tap'
import { anyCreation, anyPatch, COUNTRY } from '../../support/domain/arbitraries.ts'
import { companyOf, emp, fold, NOW } from '../../support/domain/given-when-then.ts'
import { inputs } from '../../support/quick.ts'

/* What is stored of any texts that clients send, compared with the contract, which is written here once more. */

/** White space (Unicode White_Space), the byte order mark, and what has no width. */
const BLANK = /^[\s\u0085\u180e\u200b-\u200d\u2060\ufeff]$/u

function textOf(sent: unknown): string | null {
  if (typeof sent !== 'string') return null
  const letters = [...sent.normalize('NFC')]
  while (letters.length > 0 && BLANK.test(letters[0]!)) letters.shift()
  while (letters.length > 0 && BLANK.test(letters.at(-1)!)) letters.pop()
  return letters.length > 0 ? letters.join('') : null
}

function emailOf(sent: unknown): string | null {
  const text = textOf(sent)
  return text && text.normalize('NFKC').toLowerCase()
}

function phoneOf(sent: unknown): string | null {
  const text = textOf(sent)
  return (
    text && parsePhoneNumberWithError(text.normalize('NFKC').replace('tel:', '').replace(/^00/, '+'), COUNTRY).number
  )
}

/** What a creation stores, by the contract. */
function stored(sent: Record<string, unknown>): Record<string, unknown> {
  const { custom_attributes: custom, status = 'active', email, phone, ...texts } = sent
  return {
    ...Object.fromEntries(Object.entries(texts).map(([name, value]) => [name, textOf(value)])),
    ...('email' in sent ? { email: emailOf(email) } : {}),
    ...('phone' in sent ? { phone: phoneOf(phone) } : {}),
    ...('custom_attributes' in sent ? { custom_attributes: customOf(custom ?? {}) } : {}),
    status,
  }
}

function customOf(custom: object): Record<string, unknown> {
  const values = Object.entries(custom).map(([key, value]) => [
    textOf(key)!,
    typeof value === 'string' ? textOf(value) : (value as number | boolean),
  ])
  return Object.fromEntries(values.filter(([, value]) => value !== null))
}

const create = (record: unknown) => companyOf(new Map(), { country: COUNTRY }).create([record])
const hasOneNameTwice = ({ custom_attributes: custom }: Record<string, unknown>) =>
  new Set(Object.keys(custom ?? {}).map(textOf)).size < Object.keys(custom ?? {}).length

await t.test('people of all kinds can be created, and the stored values are those of the contract', async (t) => {
  const seen = { withoutEmail: 0, oneName: 0, decomposed: 0, padded: 0, local: 0 }
  fc.assert(
    fc.property(anyCreation, (sent) => {
      fc.pre(!hasOneNameTwice(sent))
      const { outcomes, problem } = create(sent)
      assert.deepEqual(problem?.errors ?? [], [])
      const { employee } = outcomes[0]!
      const expected = stored(sent)
      assert.deepEqual(
        Object.fromEntries(Object.keys(expected).map((name) => [name, employee![name as 'id']])),
        expected,
      )
      const texts = Object.values(sent).filter((value) => typeof value === 'string')
      if (employee!.email === null) seen.withoutEmail += 1
      if (employee!.first_name === null || employee!.last_name === null) seen.oneName += 1
      if (texts.some((text) => text !== text.normalize('NFC'))) seen.decomposed += 1
      if (texts.some((text) => textOf(text) !== null && BLANK.test(text[0]!))) seen.padded += 1
      if (typeof sent.phone === 'string' && /^ ?(?:tel:)?0[1-9]/.test(sent.phone)) seen.local += 1
    }),
    { numRuns: inputs(300, 3_000) },
  )
  for (const [kind, count] of Object.entries(seen)) t.ok(count > 0, `there were people of the kind ${kind}`)
})

/** The values in other types that are written the same. */
function retyped(custom: Record<string, unknown>): Record<string, unknown> {
  const values = Object.entries(custom).map(([key, value]) => {
    const parsed = typeof value === 'string' && /^(?:-?[0-9.e+-]+|true|false)$/.test(value) ? parse(value) : undefined
    return [key, parsed !== undefined && JSON.stringify(parsed) === value ? parsed : String(value)]
  })
  return Object.fromEntries(values)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

await t.test('sending the same custom attributes in other types changes nothing, after any history', async (t) => {
  let retypedCount = 0
  fc.assert(
    fc.property(anyCreation, fc.array(anyPatch, { maxLength: 3 }), (creation, patches) => {
      fc.pre(!hasOneNameTwice(creation))
      let employees = fold(create(creation).events, NOW)
      for (const patch of patches)
        employees = fold(companyOf(employees, { country: COUNTRY }).updateOne(emp(101), patch).events, NOW, employees)
      const { custom_attributes: custom } = employees.get(emp(101))!
      const sent = retyped(custom)
      const { outcomes } = companyOf(employees, { country: COUNTRY }).updateOne(emp(101), { custom_attributes: sent })
      assert.equal(outcomes[0]!.result, 'no_updates')
      if (Object.keys(custom).some((key) => typeof custom[key] !== typeof sent[key])) retypedCount += 1
    }),
    { numRuns: inputs(200, 2_000) },
  )
  t.ok(retypedCount > 0)
})
