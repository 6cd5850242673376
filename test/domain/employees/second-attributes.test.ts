import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { ATTRIBUTE_RULES } from '../../../src/domain/attributes.ts'
import type * as support from '../../support/domain/given-when-then.ts'

/*
 * A rule says all that there is to say of an attribute, so a second attribute of each kind works without further code. It
 * is added to the source of the rules while a second copy of the domain is loaded.
 */

const SECOND = {
  nickname: { kind: 'text', max: 80 },
  private_email: { kind: 'email', max: 254 },
  mobile: { kind: 'phone' },
  probation_end: { kind: 'date' },
} as const

/** Kinds of which an employee has one attribute: others have rules about it. */
const SINGLE = ['user_name', 'manager', 'status', 'custom']

const COPY = '?second'

registerHooks({
  resolve(specifier, context, next) {
    const { url, ...resolved } = next(specifier, context)
    const isCopied = context.parentURL?.endsWith(COPY) && url.startsWith('file:') && !url.includes('/node_modules/')
    return { ...resolved, url: isCopied ? url + COPY : url }
  },
  load(url, context, next) {
    const loaded = next(url, context)
    if (!url.endsWith(`/src/domain/attributes.ts${COPY}`)) return loaded
    const rules = Object.entries(SECOND).map(([name, rule]) => `  ${name}: ${JSON.stringify(rule)},\n`)
    const source = readFileSync(fileURLToPath(url.slice(0, -COPY.length)), 'utf8')
    return { ...loaded, source: source.replace(/(?<=\n)(?= {2}custom_attributes: )/, rules.join('')) }
  },
})

const { companyOf, emp, fold, hired, NOW } = (await import(
  `../../support/domain/given-when-then.ts${COPY}`
)) as typeof support
const given = (country: string | null) => companyOf(fold([hired(1)], NOW), { country })

await t.test('every kind has a second attribute, or is that of one', async (t) => {
  const kinds = Object.values(ATTRIBUTE_RULES).map(({ kind }) => kind)
  const tried = [...Object.values(SECOND).map(({ kind }): string => kind), ...SINGLE]
  t.strictSame(new Set(tried), new Set(kinds))
  for (const single of SINGLE) t.equal(kinds.filter((kind) => kind === single).length, 1, single)
})

await t.test('a second attribute is normalized by its rule, and leaves the first one alone', async (t) => {
  const sent = {
    nickname: ' Ani ',
    private_email: 'ANA@home.example',
    mobile: '0151 1234567',
    probation_end: '2026-06-30T00:00:00Z',
  }
  const stored = {
    nickname: 'Ani',
    private_email: 'ana@home.example',
    mobile: '+491511234567',
    probation_end: '2026-06-30',
  }
  const german = given('DE')
  const created = german.create({ first_name: 'Bo', email: 'bo@example.com', phone: '030 123456', ...sent })
  t.match(created.outcomes[0]?.employee, { phone: '+4930123456', email: 'bo@example.com', ...stored })
  const patched = german.updateOne(emp(1), sent)
  t.match(patched.outcomes[0], { changed: Object.keys(sent), employee: { ...stored, phone: null } })
})

await t.test('what is wrong with a second attribute names it', async (t) => {
  const wrong = { nickname: 'x'.repeat(81), private_email: 'none', mobile: '030 123456', probation_end: '2026-02-30' }
  const { problem } = given(null).updateOne(emp(1), wrong)
  for (const name of Object.keys(wrong)) {
    const { message } = problem?.errors.find(({ pointer }) => pointer === `/${name}`) ?? {}
    t.match(message, new RegExp(`^${name} `))
  }
})
