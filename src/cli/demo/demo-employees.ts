import type { AttributeName, EmployeeAttributes } from '#domain/attributes'
import type { SeededRandom } from './seeded-random.ts'

type Always = 'first_name' | 'last_name' | 'email' | 'external_id'
/** Attributes that only some employees have, or that later calls set. */
type Occasional = 'user_name' | 'directory_external_id' | 'phone' | 'termination_date' | 'status' | 'manager_id'

/** An employee as the demo sends it for creation. Some have only a name and an email address. */
export type NewDemoEmployee = Record<Always, string> & {
  [Name in Exclude<AttributeName, Always | 'manager_id'>]?: NonNullable<EmployeeAttributes[Name]>
} & { manager_email?: string }

/** Job titles by department. */
export const JOBS: Record<string, readonly string[]> = {
  Engineering: ['Software Engineer', 'Senior Software Engineer', 'Site Reliability Engineer', 'Engineering Manager'],
  Product: ['Product Manager', 'UX Designer', 'UX Researcher', 'Technical Writer'],
  Sales: ['Account Executive', 'Sales Engineer', 'Regional Sales Lead', 'Sales Operations Analyst'],
  'Customer Care': ['Support Specialist', 'Customer Success Manager', 'Onboarding Consultant'],
  Finance: ['Accountant', 'Payroll Specialist', 'Financial Controller', 'Treasury Analyst'],
  'People & Culture': ['HR Business Partner', 'Recruiter', 'Compensation Analyst'],
  Logistics: ['Warehouse Operator', 'Shift Lead', 'Customs Specialist', 'Fleet Planner'],
  Legal: ['Legal Counsel', 'Privacy Officer', 'Paralegal'],
}
const DEPARTMENTS = Object.keys(JOBS)
export const GRADES = ['G4', 'G5', 'G6', 'G7', 'G8', 'G9'] as const

const DIVISIONS = ['Europe', 'Asia-Pacific', 'Americas', 'Headquarters']
const LANGUAGES = ['English', 'español', 'français', '日本語', 'Deutsch', 'العربية']
// Every fifth employee of an import has already left the company.
const LEAVERS = 5
const FIRST_YEAR = 2008
const YEARS = 18

/** The prefix of the external ids; the number of the employee follows. */
export const EXTERNAL_ID_PREFIX = 'demo-'

/** Invents the employee with this number, which makes the email address and the external id unique. */
export function inventEmployee(number: number, random: SeededRandom): NewDemoEmployee {
  const place = random.pick(PLACES)
  const [given, family] = [random.pick(place.given), random.pick(place.family)]
  const who = {
    first_name: displayName(given),
    last_name: displayName(family),
    email: `${emailName(given)}.${emailName(family)}.${number}@demo.example`,
    external_id: `${EXTERNAL_ID_PREFIX}${number}`,
  }
  if (random.chance(0.06)) return who
  const department = random.pick(DEPARTMENTS)
  return {
    ...who,
    employee_number: `E${String(number).padStart(5, '0')}`,
    job_title: random.pick(JOBS[department]!),
    department,
    division: random.pick(DIVISIONS),
    location: place.location,
    // Numbers that start with 000 are never assigned.
    ...(random.chance(0.7) ? { phone: `${place.dialling}000${1_000 + random.below(9_000)}` } : {}),
    start_date: inventDate(random, FIRST_YEAR, YEARS),
    custom_attributes: inventCustom(random),
  } satisfies Record<Exclude<AttributeName, Occasional>, unknown>
}

/** Invents an employee for an import, in which some have already left. */
export function inventImported(number: number, random: SeededRandom): NewDemoEmployee {
  const employee = inventEmployee(number, random)
  if (number % LEAVERS !== 0) return employee
  return { ...employee, status: 'inactive', termination_date: inventDate(random, FIRST_YEAR + YEARS, 1) }
}

function inventCustom(random: SeededRandom): Record<string, string | number | boolean> {
  return {
    grade: random.pick(GRADES),
    remote: random.chance(0.4),
    weekly_hours: random.pick([20, 32, 37.5, 40]),
    ...(random.chance(0.5) ? { language: random.pick(LANGUAGES) } : {}),
  }
}

/** Invents a date (`YYYY-MM-DD`) within `years` years; only the first 28 days of a month. */
export function inventDate(random: SeededRandom, firstYear: number, years: number): string {
  const [month, day] = [1 + random.below(12), 1 + random.below(28)]
  return [firstYear + random.below(years), ...[month, day].map((part) => String(part).padStart(2, '0'))].join('-')
}

/** A place of work and names that are common there. */
interface Place {
  /** A city and its country. */
  location: string
  /** The country and area code of phone numbers. */
  dialling: string
  /** Names, with `/` and the spelling in an email address where that cannot be derived from the letters. */
  given: readonly string[]
  family: readonly string[]
}

/** Names in many scripts, with accents, to show that the log displays them. */
const PLACES: readonly Place[] = [
  {
    location: 'Madrid, Spain',
    dialling: '+3491',
    given: ['Ana', 'José', 'Lucía', 'Íñigo', 'Begoña', 'Martín', 'Nuria', 'Ramón'],
    family: ['Pérez', 'Núñez', 'Ibáñez', 'Muñoz', 'Castaño', 'Vázquez', 'Echeverría', 'Sáez Ortiz'],
  },
  {
    location: 'Zürich, Switzerland',
    dialling: '+4144',
    given: ['Jürg', 'Ursina', 'Björn', 'Käthi', 'Moritz', 'Noëmi'],
    family: ['Müller', 'Bärtschi', 'Hösli', 'Weiß', 'von Grünigen', 'Züllig'],
  },
  {
    location: 'Kraków, Poland',
    dialling: '+4812',
    given: ['Łukasz', 'Zofia', 'Bożena', 'Stanisław', 'Agnieszka', 'Michał'],
    family: ['Wiśniewski', 'Dąbrowska', 'Żółkiewski', 'Łęcka', 'Kościelny', 'Woźniak'],
  },
  {
    location: 'Istanbul, Türkiye',
    dialling: '+90212',
    given: ['Ayşe', 'İbrahim', 'Çağla', 'Oğuz', 'Gülşen', 'Işıl'],
    family: ['Yılmaz', 'Şahin', 'Öztürk', 'Çelik', 'Güneş', 'Kılıç'],
  },
  {
    location: 'Hanoi, Vietnam',
    dialling: '+8424',
    given: ['Thị Mai', 'Văn Đức', 'Ngọc Ánh', 'Quốc Bảo', 'Thu Hằng', 'Minh Tuấn'],
    family: ['Nguyễn', 'Trần', 'Phạm', 'Đặng', 'Vũ', 'Lê'],
  },
  {
    location: 'Lagos, Nigeria',
    dialling: '+234180',
    given: ['Adébáyọ̀', 'Ngozi', 'Olúwaṣeun', 'Chidi', 'Fọlákẹ́', 'Ifeoma'],
    family: ['Okonkwo', 'Adéwálé', 'Ọláńrewájú', 'Nwachukwu', 'Balogun', 'Eze'],
  },
  {
    location: 'Tokyo, Japan',
    dialling: '+813',
    given: ['美咲/misaki', '翔太/shota', 'さくら/sakura', '健一/kenichi', '陽菜/hina', 'ケン/ken'],
    family: ['田中/tanaka', '佐藤/sato', '髙橋/takahashi', '渡邉/watanabe', '小野寺/onodera', '林/hayashi'],
  },
  {
    location: 'Kyiv, Ukraine',
    dialling: '+38044',
    given: ['Олена/olena', 'Андрій/andrii', 'Ївга/yivha', 'Тарас/taras', 'Юлія/yuliia'],
    family: ['Шевченко/shevchenko', 'Коваленко/kovalenko', 'Грицишин/hrytsyshyn', 'Їжак/yizhak', 'Мельник/melnyk'],
  },
  {
    location: 'Cairo, Egypt',
    dialling: '+202',
    given: ['ليلى/layla', 'محمد/mohamed', 'ياسمين/yasmin', 'عمر/omar', 'نور/nour'],
    family: ['الشريف/elsherif', 'حسن/hassan', 'عبد الله/abdallah', 'منصور/mansour', 'فهمي/fahmy'],
  },
  {
    location: 'Pune, India',
    dialling: '+9120',
    given: ['अनन्या/ananya', 'रोहित/rohit', 'श्रुति/shruti', 'कृष्णा/krishna', 'Priyanka'],
    family: ['कुलकर्णी/kulkarni', 'देशपांडे/deshpande', 'शर्मा/sharma', 'जोशी/joshi', 'Iyer'],
  },
  {
    location: 'Dublin, Ireland',
    dialling: '+3531',
    given: ['Siobhán', 'Ciarán', 'Aoife', 'Seán', 'Niamh', 'Mary-Kate'],
    family: ['O’Brien', 'Ní Dhomhnaill', 'Mac Giolla Phádraig', 'Murphy', 'Ó Súilleabháin', 'Smith-Jones'],
  },
]

// Letters that Unicode does not decompose into a base letter and a mark.
const SPELLINGS: Record<string, string> = { ß: 'ss', ł: 'l', đ: 'd', ı: 'i' }

/** A name as displayed. */
function displayName(name: string): string {
  return name.split('/')[0]!
}

/** A name as spelled in an email address. */
function emailName(name: string): string {
  const [, spelling] = name.split('/')
  if (spelling !== undefined) return spelling
  const plain = name
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/\p{M}|’/gu, '')
  return plain.replaceAll(/[^a-z]/g, (letter) => SPELLINGS[letter] ?? '-')
}
