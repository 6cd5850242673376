import type { AttributeName, EmployeeAttributes } from '#domain/attributes'
import type { SeededRandom } from './seeded-random.ts'

type Always = 'first_name' | 'last_name' | 'email' | 'external_id'
/** Attributes that only some employees have, or that later calls set. */
type Occasional = 'user_name' | 'directory_external_id' | 'termination_date' | 'status' | 'manager_id'

/** An employee as the demo sends it for creation. Some have only a name and an email address. */
export type NewDemoEmployee = Record<Always, string> & {
  [Name in Exclude<AttributeName, Always | 'manager_id'>]?: NonNullable<EmployeeAttributes[Name]>
}

/** Job titles by department. */
export const JOBS: Record<string, readonly string[]> = {
  Engineering: ['Software Engineer', 'Site Reliability Engineer', 'Engineering Manager'],
  Product: ['Product Manager', 'UX Designer', 'Technical Writer'],
  Sales: ['Account Executive', 'Sales Engineer'],
  'Customer Care': ['Support Specialist', 'Onboarding Consultant'],
  Finance: ['Accountant', 'Payroll Specialist'],
  'People & Culture': ['HR Business Partner', 'Recruiter'],
  Logistics: ['Warehouse Operator', 'Customs Specialist'],
}
export const GRADES = ['G4', 'G5', 'G6', 'G7', 'G8', 'G9']

/**
 * Places of work, the codes of their phone numbers, and names in many scripts, to show that the log displays them: some
 * with how people write them in addresses.
 */
const PLACES = [
  ['Madrid, Spain', '+3491', 'Ana José Lucía Íñigo Begoña Martín', 'Pérez Núñez Ibáñez Muñoz Echeverría'],
  ['Zürich, Switzerland', '+4144', 'Jürg Ursina Björn Käthi Noëmi', 'Müller Bärtschi Hösli Züllig'],
  ['Kraków, Poland', '+4812', 'Zofia Bożena Agnieszka Józef', 'Wójcik Dąbrowska Woźniak Zieliński'],
  ['Istanbul, Türkiye', '+90212', 'Ayşe İbrahim Çağla Gülşen', 'Şahin Öztürk Çelik Güneş'],
  ['Hanoi, Vietnam', '+8424', 'Mai Ánh Hằng Tuấn', 'Nguyễn Trần Phạm Lê'],
  [
    'Tokyo, Japan',
    '+813',
    '美咲=misaki 翔太=shota さくら=sakura 健一=kenichi',
    '田中=tanaka 佐藤=sato 髙橋=takahashi 小野寺=onodera',
  ],
  [
    'Kyiv, Ukraine',
    '+38044',
    'Олена=olena Андрій=andrii Тарас=taras Юлія=yuliia',
    'Шевченко=shevchenko Коваленко=kovalenko Грицишин=hrytsyshyn Мельник=melnyk',
  ],
  [
    'Cairo, Egypt',
    '+202',
    'ليلى=layla محمد=mohamed ياسمين=yasmin عمر=omar',
    'الشريف=elsherif حسن=hassan منصور=mansour فهمي=fahmy',
  ],
  [
    'Pune, India',
    '+9120',
    'अनन्या=ananya रोहित=rohit श्रुति=shruti Priyanka',
    'कुलकर्णी=kulkarni शर्मा=sharma जोशी=joshi Iyer',
  ],
  ['Dublin, Ireland', '+3531', 'Siobhán Ciarán Aoife Mary-Kate', 'O’Brien Murphy Smith-Jones'],
] as const

// Every fifth employee has already left the company.
const LEAVERS = 5

/** The prefix of the external ids; the number of the employee follows. */
export const EXTERNAL_ID_PREFIX = 'demo-'

/** Invents the employee with this number, which makes the email address and the external id unique. */
export function inventEmployee(number: number, random: SeededRandom): NewDemoEmployee {
  const [location, dialling, given, family] = random.pick(PLACES)
  const pickName = (names: string) => random.pick(names.split(' ')).split('=') as [string, string?]
  const [first, last] = [pickName(given), pickName(family)]
  const who = {
    first_name: first[0],
    last_name: last[0],
    email: `${latinLetters(first)}.${latinLetters(last)}.${number}@demo.example`,
    external_id: `${EXTERNAL_ID_PREFIX}${number}`,
  }
  if (random.chance(0.06)) return who
  const department = random.pick(Object.keys(JOBS))
  return {
    ...who,
    employee_number: `E${String(number).padStart(5, '0')}`,
    job_title: random.pick(JOBS[department]!),
    department,
    division: random.pick(['Europe', 'Asia-Pacific', 'Americas', 'Headquarters']),
    location,
    // Numbers that start with 000 are never assigned.
    phone: `${dialling}000${1_000 + random.below(9_000)}`,
    start_date: inventDate(random, 2008 + random.below(18)),
    custom_attributes: {
      grade: random.pick(GRADES),
      remote: random.chance(0.4),
      weekly_hours: random.pick([20, 37.5]),
    },
    ...(number % LEAVERS === 0 ? { status: 'inactive' as const, termination_date: inventDate(random, 2026) } : {}),
  } satisfies Record<Exclude<AttributeName, Occasional>, unknown>
}

/** Invents a date (`YYYY-MM-DD`) in a year; only the first 28 days of a month. */
export function inventDate(random: SeededRandom, year: number) {
  return [year, ...[12, 28].map((parts) => String(1 + random.below(parts)).padStart(2, '0'))].join('-')
}

/** The letters of a name that an email address can have, without their accents. */
function latinLetters([name, romanized = name]: [string, string?]) {
  return romanized
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^a-z-]/g, '')
}
