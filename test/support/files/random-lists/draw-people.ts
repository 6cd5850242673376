import { getExampleNumber, type CountryCode } from 'libphonenumber-js'
import examples from 'libphonenumber-js/mobile/examples'
import { LANGUAGES } from './header-names.ts'

/* Random people, and a random system that writes a list of them. */

/** The day on which the lists are read. */
export const TODAY = '2026-03-31'

/** A person as the service should store one; what it leaves out is empty. */
export interface ListedPerson {
  external_id?: string
  first_name: string
  last_name: string
  email?: string
  phone?: string
  job_title?: string
  department?: string
  location?: string
  start_date?: string
  termination_date?: string
  status: 'active' | 'inactive'
  /** The index of the manager in the list; null for none. */
  manager: number | null
}

/** Random numbers that follow from a seed (mulberry32). */
export function createRandom(seed: number) {
  let state = seed * 2_654_435_761
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit: number) => Math.floor(next() * limit)
  const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)]!
  const chance = (share: number) => next() < share
  const shuffle = <Item>(items: readonly Item[]): Item[] =>
    items
      .map((item) => ({ item, rank: next() }))
      .toSorted((a, b) => a.rank - b.rank)
      .map(({ item }) => item)
  return { below, pick, chance, shuffle }
}
export type Random = ReturnType<typeof createRandom>

export const words = (text: string) => text.split(',')
/** Languages in which names have no blanks, and in which the last name comes first. */
export const UNSPACED = new Set(['ja', 'zh', 'ko'])
export const LAST_NAME_FIRST = new Set(['ja', 'zh', 'ko', 'hu', 'vi'])
/** Languages that have no capitals. */
const CAPITALS = new Set(['ja', 'zh', 'ko', 'he', 'th'])

const LEGACY: Readonly<Record<string, string>> = {
  de: 'windows-1252',
  fr: 'windows-1252',
  es: 'windows-1252',
  sv: 'windows-1252',
  pl: 'windows-1250',
  cs: 'windows-1250',
  hu: 'windows-1250',
  ru: 'windows-1251',
  tr: 'windows-1254',
  ja: 'shift_jis',
  zh: 'gb18030',
  ko: 'euc-kr',
}

/** The formats of dates. */
export const DATE_FORMATS = [
  'iso',
  'day_dots',
  'day_slashes',
  'month_slashes',
  'year_slashes',
  'compact',
  'midnight',
  'at_eight',
  'day_number',
] as const

/** Columns that no language has names for here. */
export const UNNAMED = ['partner', 'code', 'privatePhone', 'lastLogin', 'emergency'] as const

/** A department of people who have left. */
export const FORMER = 'Former employees'

/** How a system writes lists. */
export function drawSystem(random: Random) {
  const { pick, chance } = random
  const language = pick(Object.keys(LANGUAGES))
  const isCased = !CAPITALS.has(language)
  const names = pick(['two', 'two', 'two', 'full', 'full_reversed', 'comma', ...(isCased ? ['capitals'] : [])])
  const keys = pick(['both', 'both', 'both', 'email', 'id'])
  const managers = ['none', 'none', 'full', 'listed', ...(isCased ? ['capitals'] : [])]
  if (keys !== 'email') managers.push('id', 'id', 'name_and_id', 'id_and_name')
  if (keys !== 'id') managers.push('email', 'email')
  managers.push('distinguished')
  return {
    language,
    names,
    keys,
    headers: pick(['plain', 'plain', 'plain', 'plain', 'decorated', 'abbreviated', 'technical', 'nonsense', 'none']),
    leavers: pick(['none', 'word', 'word', 'flag', 'blocked', 'end', 'end', 'heading', 'department']),
    managers: pick(managers),
    isManagerUnknown: chance(0.1),
    phones: pick(['none', 'international', 'local', 'pairs']),
    countries: pick(['none', 'none', 'code', 'name']),
    dates: pick(DATE_FORMATS),
    mail: pick(['first.last', 'first.last', 'last.first', 'initial', 'number']),
    ids: pick(['zeros', 'plain', 'letter', 'uuid']),
    separator: pick([',', ';', '\t', '|', '^']),
    lineEnd: pick(['\r\n', '\n']),
    encoding: chance(0.3) ? (LEGACY[language] ?? 'utf-8') : pick(['utf-8', 'utf-8', 'utf-8 with BOM', 'utf-16le']),
    optional: (['title', 'department', 'location', 'start'] as const).filter(() => chance(0.6)),
    extras: (['birth', 'privateEmail', 'notes', 'salary', 'gender', ...UNNAMED] as const).filter(() => chance(0.2)),
    hasPlannedEnds: chance(0.2),
    isQuoted: chance(0.2),
    hasBlanks: chance(0.1),
    titles: pick([0, 0, 0, 1, 2]),
    total: pick(['none', 'none', 'one_cell', 'two_cells']),
    hasEmptyRows: chance(0.1),
    addresses: pick(['plain', 'plain', 'plain', 'named', 'mailto']),
    hasOtherTable: chance(0.1),
    isMisread: chance(0.1),
  }
}
export type System = ReturnType<typeof drawSystem>

export interface DrawnPerson extends ListedPerson {
  country: CountryCode
  hasLeft: boolean
}

export const DAY_MS = 86_400_000
export const dateOf = (days: number) => new Date(days * DAY_MS).toISOString().slice(0, 10)
export const today = Date.parse(TODAY) / DAY_MS

function foldMail(text: string): string {
  return text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '')
}

export function drawPeople(system: System, random: Random): DrawnPerson[] {
  const { below, pick, chance, shuffle } = random
  const language = LANGUAGES[system.language]!
  const count = 2 + below(9)
  const firsts = shuffle(words(language.firsts))
  const lasts = shuffle(words(language.lasts))
  const ranks = shuffle([...Array.from({ length: count }).keys()])
  const base = 100 + below(800)
  const abroad = pick(['GB', 'DE', 'US', 'FR'] as CountryCode[])
  return ranks.map((rank, at) => {
    const [first, last] = [firsts[at]!, lasts[at]!]
    const number = base + at * 7 + below(4)
    const ids: Record<string, string> = {
      zeros: String(number).padStart(6, '0'),
      plain: String(number),
      letter: `${foldMail(system.language).slice(0, 1).toUpperCase()}${number}`,
      uuid: `7b6f0a${String(number).padStart(2, '0')}-0000-4000-8000-00000000${String(number).padStart(4, '0')}`,
    }
    const [f, l] = [foldMail(first), foldMail(last)]
    const isLatin = f.length > 1 && l.length > 1
    const locals: Record<string, string> = {
      'first.last': `${f}.${l}`,
      'last.first': `${l}.${f}`,
      initial: `${f.slice(0, 1)}${l}`,
      number: `u${number}`,
    }
    const country = (system.countries !== 'none' && chance(0.4) ? abroad : language.country) as CountryCode
    // What stands above all rows is a title.
    const isBelow = system.leavers !== 'heading' || at > 0
    const hasLeft = system.leavers !== 'none' && (at === 1 || chance(0.2)) && isBelow
    const start = today - 300 - below(6_000)
    const hasEnd =
      (system.leavers === 'end' && hasLeft) ||
      (hasLeft && chance(0.5) && system.hasPlannedEnds && system.leavers !== 'department')
    const isPlanned = system.hasPlannedEnds && !hasLeft && chance(0.2)
    const end = hasEnd ? start + 1 + below(today - start - 1) : isPlanned ? today + 30 + below(900) : null
    const higher = [...ranks.keys()].filter((other) => ranks[other]! < rank)
    const has = (name: 'title' | 'department' | 'location' | 'start') => system.optional.includes(name)
    return {
      ...(system.keys === 'email' ? {} : { external_id: ids[system.ids]! }),
      first_name: first,
      last_name: last,
      ...(system.keys === 'id' ? {} : { email: `${isLatin ? locals[system.mail]! : `u${number}`}@firm.example` }),
      ...(system.phones === 'none' || chance(0.1) ? {} : { phone: drawPhone(country, random) }),
      ...(has('title') ? { job_title: pick(words(language.titles)) } : {}),
      ...(has('department') || system.leavers === 'department'
        ? { department: hasLeft && system.leavers === 'department' ? FORMER : pick(words(language.departments)) }
        : {}),
      ...(has('location') ? { location: pick(words(language.places)) } : {}),
      ...(has('start') ? { start_date: dateOf(start) } : {}),
      ...(end === null ? {} : { termination_date: dateOf(end) }),
      status: hasLeft ? 'inactive' : 'active',
      manager: system.managers === 'none' || higher.length === 0 || chance(0.2) ? null : pick(higher),
      country,
      hasLeft,
    }
  })
}

export function drawPhone(country: CountryCode, { below }: Pick<Random, 'below'>): string {
  const example = getExampleNumber(country, examples)!.number
  return example.slice(0, -3) + String(below(1_000)).padStart(3, '0')
}
