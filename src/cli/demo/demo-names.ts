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
export const PLACES: readonly Place[] = [
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
export function displayName(name: string): string {
  return name.split('/')[0]!
}

/** A name as spelled in an email address. */
export function emailName(name: string): string {
  const [, spelling] = name.split('/')
  if (spelling !== undefined) return spelling
  const plain = name
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/\p{M}|’/gu, '')
  return plain.replaceAll(/[^a-z]/g, (letter) => SPELLINGS[letter] ?? '-')
}
