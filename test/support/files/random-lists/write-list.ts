import { getExampleNumber, type CountryCode } from 'libphonenumber-js'
import examples from 'libphonenumber-js/mobile/examples'
import { encodeText } from '../encode-text.ts'
import {
  createRandom,
  type DATE_FORMATS,
  DAY_MS,
  FORMER,
  dateOf,
  type DrawnPerson,
  drawPeople,
  drawPhone,
  drawSystem,
  LAST_NAME_FIRST,
  type ListedPerson,
  type Random,
  type System,
  today,
  UNNAMED,
  UNSPACED,
  words,
} from './draw-people.ts'
import { FIELDS, LANGUAGES, TECHNICAL, type Field, type Language } from './header-names.ts'

/* A staff list of random people, as a random system writes it, and what somebody knows who knows this system. */

/** What a column is, and how its values are read. */
export interface KnownColumn {
  to: string
  dates?: string
  names?: string
  by?: string
  words?: Record<string, 'active' | 'inactive'>
}

export interface WrittenList {
  bytes: Buffer
  people: ListedPerson[]
  /** By the place of the column, and, of the rows' headings, by -1. */
  columns: (KnownColumn | undefined)[]
  headings: KnownColumn
  encoding: string
  country: string
  /** The line of the header; 0 if there is none. */
  headerLine: number
  /** What kinds of things the list has, by which the results are counted. */
  traits: Record<string, string>
}

const DATES: Readonly<Record<(typeof DATE_FORMATS)[number], (date: string) => string>> = {
  iso: (date) => date,
  day_dots: (date) => date.split('-').toReversed().join('.'),
  day_slashes: (date) => date.split('-').toReversed().join('/'),
  month_slashes: (date) => date.replace(/(\d+)-0?(\d+)-0?(\d+)/, '$2/$3/$1'),
  year_slashes: (date) => date.replaceAll('-', '/'),
  compact: (date) => date.replaceAll('-', ''),
  midnight: (date) => `${date} 00:00:00`,
  at_eight: (date) => `${date}T08:00:00Z`,
  // As spreadsheets count days.
  day_number: (date) => String(Date.parse(date) / DAY_MS + 25_569),
}
const ORDERS: Readonly<Record<string, string>> = {
  day_dots: 'day_first',
  day_slashes: 'day_first',
  month_slashes: 'month_first',
}

function writePhone(phone: string, country: CountryCode, style: string): string {
  if (style === 'international') return phone
  const code = getExampleNumber(country, examples)!.countryCallingCode
  const local = getExampleNumber(country, examples)!.formatNational().replaceAll(/\D/g, '')
  const national = phone.slice(code.length + 1)
  const digits = `${local.slice(0, local.length - national.length)}${national}`
  return style === 'pairs' && country === 'FR' ? digits.match(/../g)!.join(' ') : digits.replace(/^(.{3,4})/, '$1 ')
}

const upper = (text: string) => text.toLocaleUpperCase('en')

function writeName({ first_name: first, last_name: last }: ListedPerson, style: string, language: string): string {
  const blank = UNSPACED.has(language) && language !== 'ja' ? '' : ' '
  if (style === 'comma' || style === 'listed') return `${last}, ${first}`
  if (style === 'capitals') return `${upper(last)} ${first}`
  const isLastFirst = (style === 'full_reversed') !== LAST_NAME_FIRST.has(language)
  return isLastFirst || UNSPACED.has(language) ? `${last}${blank}${first}` : `${first} ${last}`
}

/** How the names of people are split. */
function ruleOf(style: string, language: string): string {
  if (UNSPACED.has(language)) return language === 'ja' ? 'last_first' : 'one_character'
  if (style === 'capitals') return 'last_first'
  return (style === 'full_reversed') !== LAST_NAME_FIRST.has(language) ? 'last_first' : 'first_last'
}

type Column = {
  name: Field | (typeof UNNAMED)[number]
  known?: KnownColumn
  cell(person: DrawnPerson, at: number): string
}

/** What systems write where somebody has nothing, and the columns in which they do. */
const NOTHINGS = ['', '', '', '', 'NULL', 'None', 'n/a', '--', '#N/A', '#REF!']
const MAY_BE_NOTHING = ['phone', 'job_title', 'department', 'location', 'start_date', 'termination_date']

/** Writes the list of a seed. */
export function writeList(seed: number): WrittenList {
  const random = createRandom(seed)
  const more = createRandom(-seed)
  const nothing = more.pick(NOTHINGS)
  const isRepeating = more.chance(0.1)
  const orNothing = (cell: string, to = '') => (cell === '' && MAY_BE_NOTHING.includes(to) ? nothing : cell)
  const system = drawSystem(random)
  const people = drawPeople(system, random)
  const language = LANGUAGES[system.language]!
  const columns = drawColumns(system, people, language, random)
  const ordered = random.shuffle(columns)
  const names = nameColumns(ordered, system, language, random)
  const inHeadings = system.leavers === 'heading'
  const order = inHeadings
    ? [...people.keys()].toSorted((a, b) => Number(people[a]!.hasLeft) - Number(people[b]!.hasLeft))
    : [...people.keys()]
  const lines: string[][] = []
  for (let at = 0; at < system.titles; at += 1) lines.push(at === 0 ? ['HR report'] : ['31.03.2026 / page 1'])
  if (system.titles === 2) lines.push([])
  const other = names && system.hasOtherTable && people.length > 3 ? describeTable(language, random) : []
  if (names) lines.push([...names, ...other])
  const headerLine = names ? lines.length : 0
  let isBelow = false
  for (const at of order) {
    const person = people[at]!
    if (inHeadings && person.hasLeft && !isBelow) lines.push([language.leavers])
    isBelow ||= person.hasLeft
    const beside = other.length > 0 && lines.length < headerLine + 2 ? ['', 'Shipping', 'Ulm'] : []
    const cells = ordered.map(({ cell, known }) => pad(orNothing(cell(person, at), known?.to), system, random))
    lines.push([...cells, ...beside])
    if (isRepeating && more.chance(0.3)) lines.push([...cells, ...beside])
    if (system.hasEmptyRows && random.chance(0.2)) lines.push([])
  }
  if (system.total !== 'none') {
    const total =
      system.total === 'one_cell' ? [`${language.total}: ${people.length}`] : [language.total, String(people.length)]
    lines.push(total)
  }
  const width = ordered.length + other.length
  const whole = lines.map((cells) => [...cells, ...Array.from({ length: Math.max(width - cells.length, 0) }, () => '')])
  // Workbooks have no empty cells at the ends of rows, either.
  const isRagged = more.chance(0.2)
  if (isRagged) for (const cells of whole) cells.length = cells.findLastIndex((cell) => cell !== '') + 1
  const isPage = more.chance(0.05)
  const text = isPage ? writePage(whole, more) : writeRows(whole, system)
  const { encoding, bytes } = encode(`${text}${system.lineEnd}`, system)
  const { language: _language, ...traits } = system
  return {
    bytes,
    people: people.map(({ country: _country, hasLeft: _hasLeft, department, ...person }) => ({
      ...person,
      ...(department === undefined || system.leavers === 'department' ? {} : { department }),
    })),
    columns: ordered.map(({ known }) =>
      known?.to === 'termination_date' ? { ...known, words: { [nothing]: 'active' } } : known,
    ),
    headings: { to: 'status', words: { [language.leavers]: 'inactive' } },
    encoding,
    country: language.country,
    headerLine,
    traits: {
      language: system.language,
      nothing,
      isRepeating: String(isRepeating),
      isPage: String(isPage),
      isRagged: String(isRagged),
      ...Object.fromEntries(Object.entries(traits).map(([name, value]) => [name, String(value)])),
      encoding,
    },
  }
}

function writeRows(rows: readonly (readonly string[])[], system: System): string {
  return rows.map((cells) => cells.map((cell) => quote(cell, system)).join(system.separator)).join(system.lineEnd)
}

/** Writes a web page, as some programs do that call it .xls. */
function writePage(rows: readonly (readonly string[])[], { chance }: Random): string {
  const isNumbered = chance(0.5)
  const escape = (cell: string) =>
    cell
      .replaceAll(/[&<>]/g, (sign) => `&#${sign.codePointAt(0)};`)
      .replaceAll(/[^\u0020-\u007e]/gu, (letter) => (isNumbered ? `&#${letter.codePointAt(0)};` : letter))
  const written = rows.map((cells) => `<tr>${cells.map((cell) => `<td class="c">${escape(cell)}</td>`).join('')}</tr>`)
  return `<html><head><title>Staff</title></head><body><table border="1">\n${written.join('\n')}\n</table></body></html>`
}

/** Some people leave blanks around what they type. */
function pad(cell: string, { hasBlanks }: System, { chance, pick }: Random): string {
  return hasBlanks && cell !== '' && chance(0.1) ? pick([` ${cell}`, `${cell} `]) : cell
}

function quote(cell: string, { separator, isQuoted }: System): string {
  return cell.includes(separator) || cell.includes('"') || (isQuoted && cell !== '')
    ? `"${cell.replaceAll('"', '""')}"`
    : cell
}

/** The columns of another table, which stands beside the list. */
function describeTable({ headers }: Language, { pick }: Random): string[] {
  const name = (field: Field) => pick(headers.split(',')[FIELDS.indexOf(field)]!.split('/'))
  return ['', name('department'), name('location')]
}

function encode(text: string, system: System): { encoding: string; bytes: Buffer } {
  const { encoding, leavers, countries, isMisread } = system
  // What nobody can answer, as words for statuses and names of countries are misread, too.
  if (isMisread && encoding === 'utf-8' && (leavers === 'none' || leavers === 'end') && countries === 'none')
    return { encoding, bytes: Buffer.from(new TextDecoder('windows-1252').decode(Buffer.from(text))) }
  if (encoding === 'utf-16le') return { encoding, bytes: Buffer.from(`\ufeff${text}`, 'utf16le') }
  if (encoding === 'utf-8 with BOM') return { encoding: 'utf-8', bytes: Buffer.from(`\ufeff${text}`) }
  if (encoding !== 'utf-8')
    try {
      return { encoding, bytes: encodeText(text, encoding) }
    } catch {
      // It has no such letter.
    }
  return { encoding: 'utf-8', bytes: Buffer.from(text) }
}

function nameColumns(
  columns: readonly Column[],
  system: System,
  { headers }: Language,
  random: Random,
): string[] | null {
  const { pick, below } = random
  if (system.headers === 'none') return null
  const offset = below(40)
  const names = columns.map(({ name }, at) => {
    const place = FIELDS.findIndex((field) => field === name)
    if (system.headers === 'nonsense') return `F${at + 1 + offset}`
    if (place === -1) return `Z${at + 1}`
    const plain = pick(headers.split(',')[place]!.split('/'))
    if (system.headers === 'technical') return pick(TECHNICAL.split(',')[place]!.split('/'))
    if (system.headers === 'abbreviated' && plain.length > 5) return `${plain.slice(0, 4).trim()}.`
    return system.headers === 'decorated' ? pick([`* ${plain}`, `${plain} (1)`, `[${plain}]`, `x_${plain}`]) : plain
  })
  return names.map((name, at) => (names.indexOf(name) === at ? name : `${name} ${at + 1}`))
}

function drawColumns(system: System, people: readonly DrawnPerson[], language: Language, random: Random): Column[] {
  const { pick, chance, below } = random
  const columns: Column[] = []
  const style = system.names
  const to = (target: string, more: Omit<KnownColumn, 'to'> = {}): KnownColumn => ({ to: target, ...more })
  const dates = { ...(ORDERS[system.dates] ? { dates: ORDERS[system.dates]! } : {}) }
  const writeDate = (date = '') => (date === '' ? '' : DATES[system.dates](date))
  const add = (name: Column['name'], known: KnownColumn | undefined, cell: Column['cell']) =>
    columns.push({ name, ...(known ? { known } : {}), cell })
  if (system.keys !== 'email') add('id', to('external_id'), (person) => person.external_id!)
  if (style === 'two') {
    add('first', to('first_name'), (person) => person.first_name)
    add('last', to('last_name'), (person) => person.last_name)
  } else
    add('full', to('full_name', { names: ruleOf(style, system.language) }), (person) =>
      writeName(person, style, system.language),
    )
  if (system.keys !== 'id') add('email', to('email'), (person) => writeAddress(person, system))
  if (system.phones !== 'none')
    add('phone', to('phone'), ({ phone, country }) => (phone ? writePhone(phone, country, system.phones) : ''))
  if (system.optional.includes('title'))
    add('title', to('job_title'), ({ job_title: title = '' }) =>
      system.hasBlanks ? title.replace(' ', '\u00a0') : title,
    )
  const meanings = Object.fromEntries(words(language.departments).map((name) => [name, 'active' as const]))
  if (system.leavers === 'department')
    add('department', to('status', { words: { ...meanings, [FORMER]: 'inactive' } }), (person) => person.department!)
  else if (system.optional.includes('department')) add('department', to('department'), (person) => person.department!)
  if (system.optional.includes('location')) add('location', to('location'), (person) => person.location!)
  if (system.optional.includes('start')) add('start', to('start_date', dates), (person) => writeDate(person.start_date))
  if (people.some(({ termination_date: end }) => end !== undefined)) {
    const isOpenEnd = system.leavers === 'end' && system.dates !== 'day_number' && chance(0.3)
    const never = isOpenEnd ? writeDate(pick(['9999-12-31', '2999-12-31'])) : ''
    add('end', to('termination_date', dates), ({ termination_date: end }) => (end ? writeDate(end) : never))
  }
  addLeavers(system, people, language, random, add)
  const managerAt = system.isManagerUnknown ? below(people.length) : -1
  const by = {
    full: 'full_name',
    listed: 'full_name',
    capitals: 'full_name',
    distinguished: 'full_name',
    email: 'email',
  }
  if (system.managers !== 'none')
    add('manager', to('manager', { by: by[system.managers as 'full'] ?? 'external_id' }), (person, at) => {
      if (at === managerAt && person.manager === null) return writeManager(STRANGER, system)
      return person.manager === null ? '' : writeManager(people[person.manager]!, system)
    })
  if (system.countries !== 'none') add('country', to('phone_country'), ({ country }) => writeCountry(country, system))
  for (const name of system.extras) add(name, undefined, drawExtra(name, people, system, random))
  if (columns.length < 3) add('notes', undefined, () => pick(['', 'ok', '-']))
  return columns
}

function addLeavers(
  { leavers }: System,
  people: readonly DrawnPerson[],
  language: Language,
  { pick }: Random,
  add: (name: Field, known: KnownColumn, cell: Column['cell']) => void,
): void {
  const meanings = (active: string, left: string) => ({ [active]: 'active', [left]: 'inactive' }) as const
  if (leavers === 'word') {
    const [active, absent, left] = [words(language.active), words(language.absent), words(language.left)]
    const known = Object.fromEntries([
      ...[...active, ...absent].map((word) => [word, 'active']),
      ...left.map((word) => [word, 'inactive']),
    ])
    const [usual, gone] = [pick(active), pick(left)]
    add('status', { to: 'status', words: known }, ({ hasLeft }, at) => (hasLeft ? gone : at === 3 ? absent[0]! : usual))
    return
  }
  if (leavers !== 'flag' && leavers !== 'blocked') return
  // A column without a value says nothing.
  const mark = people.every(({ hasLeft }) => hasLeft) ? [] : [['x', ''] as const]
  const [yes, no] = pick([[language.yes, language.no], ['True', 'False'], ['1', '0'], ['Y', 'N'], ...mark] as const)
  const isFlag = leavers === 'flag'
  const known = { to: 'status', words: isFlag ? meanings(yes, no) : meanings(no, yes) }
  add(leavers, known, ({ hasLeft }) => (hasLeft === isFlag ? no : yes))
}

function writeAddress({ first_name: first, last_name: last, email }: DrawnPerson, { addresses }: System): string {
  if (addresses === 'named') return `${first} ${last} <${email}>`
  return addresses === 'mailto' ? `mailto:${email}` : email!
}

const STRANGER = {
  external_id: 'Q-999999',
  first_name: 'Zed',
  last_name: 'Quillon',
  email: 'zed.quillon@firm.example',
} as DrawnPerson

function writeManager(person: DrawnPerson, { managers, names, language }: System): string {
  if (managers === 'id') return person.external_id!
  if (managers === 'email') return person.email!
  if (managers === 'name_and_id') return `${writeName(person, 'full', language)} (${person.external_id})`
  if (managers === 'id_and_name') return `${person.external_id} ${writeName(person, 'full', language)}`
  if (managers === 'distinguished') return `CN=${writeName(person, 'full', language)},OU=Staff,DC=firm,DC=example`
  const own = names === 'two' ? 'full' : names
  return writeName(person, managers === 'full' ? own : managers, language)
}

function writeCountry(country: CountryCode, { countries, language }: System): string {
  if (countries === 'code') return country
  return new Intl.DisplayNames([language], { type: 'region' }).of(country)!
}

function drawExtra(
  name: Column['name'],
  people: readonly DrawnPerson[],
  system: System,
  { below, pick, chance }: Random,
): Column['cell'] {
  if (name === 'birth') return () => DATES.day_dots(dateOf(today - 9_000 - below(9_000)))
  if (name === 'privateEmail') return () => `p${below(1_000_000)}@${pick(['home', 'mail', 'post'])}.example`
  if (name === 'salary') return () => String(20_000 + below(900) * 50)
  // One of two people is responsible for each.
  if (name === 'partner') return () => writeName(people[below(2)]!, 'full', system.language)
  if (name === 'code') return ({ department = '' }) => `D${department.length + 10}`
  if (name === 'privatePhone')
    return ({ country }) => writePhone(drawPhone(country, { below }), country, 'international')
  if (name === 'lastLogin') return () => (chance(0.2) ? '' : DATES.iso(dateOf(today - below(300))))
  if (name === 'emergency')
    return () => `${pick(['Pat', 'Sam', 'Kim'])} ${pick(['Ostler', 'Quinn', 'Voss'])}${below(100) > 50 ? '-Lee' : ''}`
  if (name === 'gender') return () => pick(['m', 'f', 'd'])
  return () => (chance(0.5) ? '' : pick(['see file', 'part time 60 %', 'key 12']))
}
