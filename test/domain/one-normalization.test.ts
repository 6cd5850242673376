import t from 'tap'
import { readAttribute } from '../../src/domain/attributes.ts'
import { readCountry } from '../../src/domain/accounts/company-settings.ts'
import { emptyNames } from '../../src/domain/erasure.ts'
import { mentionsPerson, textNamesPerson } from '../support/domain/names-person.ts'
import { normalizeEmail, normalizeText } from '../../src/text/normalize-text.ts'
import { emp, given, hired } from '../support/domain/given-when-then.ts'

/* What nobody sees at the ends of a text, and how its letters are composed, makes nobody somebody else. */

const BLANKS = ['\u0085', '\u00a0', '\u061c', '\u180e', '\u200b', '\u200e', '\u2060', '\u3000', '\ufeff']
const around = (text: string) =>
  BLANKS.flatMap((blank) => [`${text}${blank}`, `${blank}${text}`, `${blank} ${text} ${blank}`])
const [COMPOSED, DECOMPOSED] = ['J\u00fcrgen-7', 'Ju\u0308rgen-7']

await t.test('an id, an external id, and an address name the same employee with any blanks around them', async (t) => {
  const company = given(hired(1, { external_id: COMPOSED, email: 'p1@example.com' }))
  const named = (record: object) => company.update([{ ...record, job_title: 'x' }]).outcomes[0]?.employee?.id
  for (const id of around(emp(1))) t.equal(named({ id }), emp(1), escape(id))
  for (const id of [COMPOSED, DECOMPOSED].flatMap(around)) t.equal(named({ external_id: id }), emp(1), escape(id))
  for (const email of around('P1@example.com')) t.equal(named({ email }), emp(1), escape(email))
})

await t.test('two records that name one employee in two forms are refused', async (t) => {
  const company = given(hired(1, { external_id: COMPOSED }))
  const records = [COMPOSED, `${DECOMPOSED}\u200b`].map((id) => ({ external_id: id, job_title: 'x' }))
  t.match(company.update(records).problem?.errors, [{ code: 'duplicate_in_batch' }, { code: 'duplicate_in_batch' }])
})

await t.test('a value of only blanks is none', async (t) => {
  for (const blank of BLANKS) {
    t.equal(normalizeText(blank), '', escape(blank))
    t.strictSame(readAttribute('job_title', ` ${blank} `), { value: null }, escape(blank))
  }
})

await t.test('an address is the same wherever it is normalized', async (t) => {
  for (const email of around('Ana@Example.com')) {
    t.equal(normalizeEmail(email), 'ana@example.com', escape(email))
    t.strictSame(readAttribute('email', email), { value: 'ana@example.com' }, escape(email))
  }
  for (const code of around('de')) t.equal(readCountry(code), 'DE', escape(code))
})

await t.test('an erasure finds a person under every form of an external id', async (t) => {
  const names = { ...emptyNames(), externalIds: new Set([COMPOSED]) }
  for (const sent of [COMPOSED, DECOMPOSED].flatMap(around)) {
    for (const field of ['external_id', 'manager_email']) {
      const rejected = { locator: null, employee_id: null, errors: [], record: { [field]: sent } }
      t.ok(mentionsPerson(rejected, names), `${field} ${escape(sent)}`)
    }
    t.ok(textNamesPerson(`[{"external_id":"${sent}"`, names), escape(sent))
  }
})
