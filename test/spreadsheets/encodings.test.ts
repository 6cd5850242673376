import t from 'tap'
import { decodeText, recognizeFile } from '../../src/spreadsheets/formats/recognize-file.ts'
import { readEncoding } from '../../src/spreadsheets/encodings/encodings.ts'
import { FileQuestion, UNANSWERED } from '../../src/spreadsheets/formats/file-question.ts'
import { encodeText } from '../support/files/encode-text.ts'

/* How the encoding of a file is found, or asked. */

/** Names and words of staff lists, and the encodings in which programs write them. */
const LISTS: readonly (readonly [language: string, encodings: readonly string[], words: string])[] = [
  [
    'German',
    ['windows-1252', 'iso-8859-15', 'macintosh'],
    'Jörg Müller,Käthe Jürgens,Björn Groß,Änne Möller,Ülkü Öztürk,Lothar Matthäus,Geschäftsführerin,Küche,Verkäuferin,Günther,Straße',
  ],
  [
    'French',
    ['windows-1252', 'iso-8859-15', 'macintosh'],
    'René Lefèvre,Zoë Müller,François Gérard,Hélène Bézier,Noémie,Benoît,Maëlle,Société Générale,Employé,Matricule salarié,Prénom,Équipe',
  ],
  [
    'Spanish',
    ['windows-1252', 'iso-8859-15', 'macintosh'],
    'José García,María Núñez,Iñigo Muñoz,Andrés Gutiérrez,Martín Sánchez,Jesús Peña,Dirección,Administración,Teléfono',
  ],
  [
    'Portuguese',
    ['windows-1252', 'iso-8859-15', 'macintosh'],
    'João Gonçalves,Conceição,Antônio Simões,Luís Guimarães,Inês Araújo,Cristóvão,Função,Departamento de Comunicação,Admissão',
  ],
  [
    'Italian',
    ['windows-1252', 'iso-8859-15', 'macintosh'],
    'Niccolò Nicolò,Città,Attività,Società,Mercoledì,Giosuè,Responsabile qualità',
  ],
  [
    'Swedish',
    ['windows-1252', 'iso-8859-15', 'macintosh'],
    'Åsa Sjöberg,Björn Åkesson,Göran Öberg,Märta Lindström,Håkan,Försäljning,Förnamn',
  ],
  ['Danish', ['windows-1252', 'iso-8859-15', 'macintosh'], 'Søren Kjær,Jørgen Ågård,Åse Øvergård,Løn,Sælger,Mødre'],
  [
    'Icelandic',
    ['windows-1252', 'iso-8859-15'],
    'Þórður Guðmundsson,Sigríður Jónsdóttir,Björk Guðmundsdóttir,Ólafur Ragnar',
  ],
  ['Dutch', ['windows-1252', 'iso-8859-15'], 'Daniëlle,Joël van Dijk,Loïs,Chloë Coördinator,Renée,André'],
  [
    'Polish',
    ['windows-1250', 'iso-8859-2'],
    'Łukasz Żółć,Agnieszka Świątek,Wojciech Gąsienica-Jóźków,Michał,Bożena Dzięcioł,Prezes zarządu,Sprzedaż,Księgowość,Imię',
  ],
  [
    'Czech',
    ['windows-1250', 'iso-8859-2'],
    'Jiří Novák,Zdeněk Dvořák,Božena Němcová,Růžena Šťastná,Přemysl,Jméno,Příjmení,Oddělení',
  ],
  ['Slovak', ['windows-1250', 'iso-8859-2'], 'Ján Kováč,Ľubomír Šťastný,Žofia Hrušková,Ľudovít Štúr,Oddelenie,Vedúci'],
  [
    'Hungarian',
    ['windows-1250', 'iso-8859-2'],
    'Szabó László,Gyöngyi Kőszegi,Tünde Szűcs,Sándor,Győző,Értékesítés,Osztályvezető',
  ],
  [
    'Romanian',
    ['windows-1250', 'iso-8859-2'],
    'Ioniţă Ştefan,Mihăilă,Cătălin Bălţatu,Ţugui,Ileana Pârvulescu,Îndrumător',
  ],
  ['Croatian', ['windows-1250', 'iso-8859-2'], 'Željko Šarić,Đorđe Čačić,Krešimir Ćosić,Tomić,Boško,Žaklina'],
  ['Turkish', ['windows-1254'], 'Ayşe Yıldız,Çağlar Öztürk,İbrahim Güneş,Şükrü Doğan,Müdür,Satış,Işık'],
  [
    'Lithuanian',
    ['windows-1257', 'iso-8859-13'],
    'Jonas Žukauskas,Šarūnas Jasikevičius,Eglė Kazlauskienė,Rūta Mačiulytė,Vyresnysis buhalterė,Vardas ir pavardė',
  ],
  ['Latvian', ['windows-1257', 'iso-8859-13'], 'Jānis Bērziņš,Ilze Kalniņa,Kārlis Ķirsis,Ģirts Ļaudams,Vārds,Uzvārds'],
  ['Estonian', ['windows-1257', 'iso-8859-13'], 'Jüri Mäe,Õnne Põld,Ülle Šmidt,Tõnu Kõrv,Müügijuht'],
  [
    'Russian',
    ['windows-1251', 'koi8-r', 'iso-8859-5', 'ibm866', 'x-mac-cyrillic'],
    'Иванов Иван,Петрова Мария,Щербаков Юрий,Сергеева Ольга,Бухгалтер,Отдел продаж,Директор,Фамилия,Должность',
  ],
  ['Ukrainian', ['windows-1251', 'koi8-u'], 'Шевченко Тарас,Їжакевич Олена,Лисенко Євген,Київ,Відділ,Ґудзь'],
  ['Bulgarian', ['windows-1251'], 'Георги Димитров,Мария Стоянова,Явор Николов,Служител'],
  ['Serbian', ['windows-1251'], 'Ђорђе Петровић,Љиљана Јовановић,Његош,Ћосић'],
  ['Greek', ['windows-1253', 'iso-8859-7'], 'Γεώργιος Παπαδόπουλος,Μαρία Νικολάου,Ελένη Κωνσταντίνου,Αθήνα,Επώνυμο'],
  ['Hebrew', ['windows-1255', 'iso-8859-8'], 'דוד כהן,שרה לוי,משה מזרחי,ירושלים,שם משפחה'],
  ['Arabic', ['windows-1256'], 'محمد أحمد,فاطمة علي,عبد الله حسن,القاهرة,الاسم الأول'],
  ['Thai', ['windows-874'], 'สมชาย ใจดี,สมหญิง รักไทย,กรุงเทพ,ชื่อ นามสกุล'],
  ['Japanese', ['shift_jis', 'euc-jp'], '高橋 誠,山崎 結衣,渡辺 健太,営業本部,タカハシ,マコト,社員番号,東京,正社員'],
  ['Chinese, simplified', ['gb18030'], '王伟,李秀英,张敏,陈静,刘洋,欧阳修,市场部,销售经理,姓名'],
  ['Chinese, traditional', ['big5'], '陳美玲,林志明,黃淑芬,張雅婷,李宗翰,業務部,經理,姓名'],
  ['Korean', ['euc-kr'], '김민준,이서연,박지훈,최수빈,정하은,영업팀,부장,이름,직급'],
]

/** The encoding of bytes that come in chunks, or the question about it. */
async function detect(bytes: Buffer, given: string | null = null, size = 5_000) {
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }
  try {
    const format = await recognizeFile(chunks(), {
      ...UNANSWERED,
      encoding: given === null ? null : readEncoding(given),
    })
    return { encoding: format.kind === 'workbook' ? null : (format.encoding as string), choices: [] }
  } catch (error) {
    if (error instanceof FileQuestion) return { encoding: null, choices: error.choices }
    throw error
  }
}

await t.test('names are read rightly or asked about, with the right reading among the choices', async (t) => {
  let [asked, known] = [0, 0]
  for (const [language, encodings, words] of LISTS)
    for (const encoding of encodings)
      for (const size of [1, 3, 100]) {
        const names = words.split(',')
        for (let at = 0; at < names.length; at += size) {
          const text = `name,role\n${names.slice(at, at + size).join(',Sales\n')},Sales\n`
          if (!/[^\0-\x7f]/.test(text)) continue
          const bytes = encodeText(text, encoding)
          const found = await detect(bytes)
          const readings = found.encoding === null ? found.choices.map(({ value }) => value) : [found.encoding]
          t.ok(
            readings.some((label) => new TextDecoder(label).decode(bytes) === text),
            `${language} in ${encoding}: ${text.trim()}`,
          )
          t.ok(readings.length <= 4 && (found.encoding !== null || readings.length > 1))
          if (found.encoding === null) asked += 1
          else known += 1
        }
      }
  t.ok(asked > 0 && known > 0)
})

await t.test('the samples of a question show the invisible letters of a script, and no others', async (t) => {
  const samplesOf = async (text: string, encoding: string) =>
    (await detect(encodeText(text, encoding))).choices.find(({ value }) => value === encoding)?.samples
  t.match(await samplesOf('name\nعلي\u200cرضا\n', 'windows-1256'), ['علي\u200cرضا'])
  t.match(await samplesOf('name\nDvořák\u00ad\n', 'windows-1250'), ['Dvořák\ufffd'])
})

await t.test('UTF-8 and UTF-16 are recognized with and without a mark, wherever a chunk is cut', async (t) => {
  for (const text of ['name,role\nJürgens,Küche\n', '姓,名\n高橋,誠\n', 'name,role\nAda,Sales\n'])
    for (const size of [1, 3, 5_000]) {
      const little = Buffer.from(text, 'utf16le')
      t.equal((await detect(Buffer.from(text), null, size)).encoding, 'utf-8')
      t.equal((await detect(Buffer.from(`\ufeff${text}`), null, size)).encoding, 'utf-8')
      t.equal((await detect(little, null, size)).encoding, 'utf-16le')
      t.equal((await detect(Buffer.from(`\ufeff${text}`, 'utf16le'), null, size)).encoding, 'utf-16le')
      t.equal((await detect(Buffer.from(little).swap16(), null, size)).encoding, 'utf-16be')
    }
})

await t.test('what the user names is obeyed, unless a mark says otherwise', async (t) => {
  const polish = encodeText('imię,nazwisko\nŁukasz,Żółć\n', 'windows-1250')
  t.equal((await detect(polish, 'cp1250')).encoding, 'windows-1250')
  t.equal((await detect(polish, 'latin1')).encoding, 'windows-1252')
  t.equal((await detect(Buffer.from('\ufeffname\nJörg\n'), 'shift_jis')).encoding, 'utf-8')
  await t.rejects(detect(polish, 'utf-8'), { name: 'FileError', fault: { line: 1 } })
})

await t.test('text of MS-DOS, which looks like one of a Macintosh, is asked about', async (t) => {
  const { encoding, choices } = await detect(Buffer.from('name\nM\x81ller\nK\x81che\nBj\x94rn\nStra\xe1e\n', 'latin1'))
  t.equal(encoding, null)
  t.ok(choices.every(({ samples }) => samples.length > 0))
})

await t.test('a question shows the cells of the file that have other letters than ASCII', async (t) => {
  const { choices } = await detect(encodeText('name,role\nŢugui,Sales\nAda Lane,Ops\n', 'windows-1250'))
  t.ok(choices.length >= 2)
  t.strictSame(choices.find(({ value }) => value === 'windows-1250')?.samples, ['Ţugui'])
})

await t.test('bytes of two encodings, and of none, are named with their line', async (t) => {
  const mixed = Buffer.concat([Buffer.from('a\näöüß\n'), Buffer.from('é\n', 'latin1')])
  for (const [bytes, line] of [
    [mixed, 3],
    [Buffer.from('a\nb\0c\n'), 2],
    [Buffer.from('fffe0000610000000a000000', 'hex'), 1],
  ] as const)
    await t.rejects(detect(bytes), { name: 'FileError', fault: { line } })
})

await t.test('all syllables of Korean are read as Windows writes them, wherever a chunk is cut', async (t) => {
  const bytes = Buffer.from('8c63b9e6b0a2c7cf20bc84bdc3', 'hex')
  for (const size of [1, 2, 13]) {
    async function* chunks() {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
    }
    let text = ''
    for await (const piece of decodeText(chunks(), readEncoding('cp949')!)) text += piece
    t.equal(text, '똠방각하 펲시')
  }
  await t.rejects(
    async () => {
      for await (const _ of decodeText([Buffer.from('b0', 'hex')] as never, 'euc-kr'));
    },
    { name: 'FileError' },
    'half a character',
  )
})
