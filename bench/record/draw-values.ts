import type { SeededRandom } from '../../src/cli/demo/seeded-random.ts'

/* Values of fields as JSON texts, because JSON can say more than JavaScript keeps: `-0`, `1e400`, two equal names. */

export const toJson = (value: unknown): string => JSON.stringify(value)

const PLAIN_WORDS = ['Sales', 'Ops', '0012']
const UNUSUAL_WORDS = ['Zoë', 'R&D', '研究', 'مبيعات', '👩‍🚀', 'a "b" \\ c', '<b>', 'O’Neil']
const WORDS = [...PLAIN_WORDS, ...UNUSUAL_WORDS]
/** Each is refused, kept in another form, or rarely sent. */
const ODD_TEXTS = [
  ...[
    '',
    ' ',
    '\u200b',
    ' Ana ',
    'e\u0301',
    'İ',
    'ﬁ',
    '\u212a',
    '\u202e',
    '\u00ad',
    'a\u0000b',
    'a\nb',
    'é'.repeat(80),
  ],
  ...[
    'x'.repeat(80),
    'x'.repeat(81),
    'x'.repeat(130),
    '👩'.repeat(120),
    'x'.repeat(5_000),
    '__proto__',
    'null',
    'می\u200cخ',
  ],
].map(toJson)
const ODD_LITERALS = [
  'null',
  '12',
  'true',
  '[]',
  '{}',
  '["a"]',
  '{"a":1}',
  String.raw`"\ud800"`,
  String.raw`"\udc00\ud83d"`,
]
const NUMBERS = [
  ...['0', '-0', '0.0', '1', '-7', '1.0', '1E5', '1e-7', '0.1', '0.12345678901234567890123', '123456.789e3'],
  ...['9007199254740991', '9007199254740993', '12345678901234567890', '1e21', '1e400', '-1e400', '5e-324', '1e-400'],
]
const EMAILS = [
  ...[
    '',
    'nobody',
    '@example.com',
    'a@b',
    'a b@example.com',
    'Á@example.com',
    'a..b@example.com',
    `${'x'.repeat(255)}@a.b`,
  ],
  ...['ODD@EXAMPLE.COM', 'odd@exämple.com', ' odd@example.com ', 'ﬁ@example.com', 'a@-b.example', '"a"@example.com'],
].map(toJson)
const PHONES = [
  '',
  '+',
  '+1',
  '+4915112345678',
  '+49 151 123-4567',
  '030 123456',
  '0049151234567',
  'tel:+49-30-1',
  '12a',
]
const DATES = ['', '2024-02-29', '2023-02-29', '2024-1-1', '2024-01-01T00:00:00Z', '2024-01-01T10:00:00Z', '0001-01-01']
const STATUSES = ['', 'Active', 'inactive ', 'gone']

/** How many people a company's calls are about. */
export const PEOPLE = 150

export const emailOf = (number: number): string => `person.${number}@example.com`
export const externalIdOf = (number: number): string => `E-${number}`

/** A usual value of each attribute. `managers` are the texts of ids. */
export function drawUsual(random: SeededRandom, name: string, managers: readonly string[]): string {
  const number = random.below(PEOPLE)
  switch (name) {
    case 'phone':
      return toJson(random.chance(0.1) ? null : `+4915112345${100 + random.below(900)}`)
    case 'start_date':
      return toJson(`20${10 + random.below(14)}-0${1 + random.below(9)}-1${random.below(10)}`)
    case 'termination_date':
      return random.chance(0.5) ? 'null' : toJson(`202${5 + random.below(5)}-12-31`)
    case 'status':
      return toJson(random.pick(['active', 'active', 'inactive']))
    case 'manager_id':
      return managers.length === 0 || random.chance(0.2) ? 'null' : toJson(random.pick(managers))
    case 'manager_email':
      return toJson(emailOf(number))
    case 'manager_external_id':
      return toJson(externalIdOf(number))
    case 'custom_attributes':
      return drawCustom(random, false)
    default:
      return toJson(random.chance(0.1) ? null : `${random.pick(WORDS)} ${random.below(4)}`)
  }
}

/** A value that few send. */
export function drawOdd(random: SeededRandom, name: string): string {
  if (random.chance(0.3)) return random.pick([...ODD_LITERALS, ...NUMBERS])
  switch (name) {
    case 'email':
    case 'manager_email':
      return random.pick(EMAILS)
    case 'phone':
      return toJson(random.pick(PHONES))
    case 'start_date':
    case 'termination_date':
      return toJson(random.pick(DATES))
    case 'status':
      return toJson(random.pick(STATUSES))
    case 'custom_attributes':
      return drawCustom(random, true)
    default:
      return random.pick(ODD_TEXTS)
  }
}

const GRADES = ['grade', 'cost_center', 'remote', 'Größe', 'a.b', 'ship to', '1']
const ODD_GRADES = [
  '__proto__',
  'constructor',
  '',
  ' x ',
  'e\u0301',
  'x'.repeat(65),
  'a/b~c',
  '\ud83d',
  'toString',
  'é',
]

function drawCustom(random: SeededRandom, isOdd: boolean): string {
  if (isOdd && random.chance(0.1)) return nest(random.pick([3, 40, 200, 2_000]))
  const count = isOdd && random.chance(0.05) ? 40 : 1 + random.below(4)
  const members = Array.from({ length: count }, (_, at) => {
    const name = isOdd && random.chance(0.5) ? random.pick(ODD_GRADES) : random.pick(GRADES)
    const value = isOdd ? drawOdd(random, 'text') : random.pick(['1', '2.5', 'true', 'false', '"A"', '"é"', '-3'])
    return `${toJson(count > 8 ? `${name}${at}` : name)}:${value}`
  })
  // Two equal names are one fault more, which usual records don't have.
  return `{${(isOdd ? members : [...new Map(members.map((member) => [member.split(':')[0], member])).values()]).join(',')}}`
}

/** An object that is so deep. */
function nest(depth: number): string {
  return `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
}
