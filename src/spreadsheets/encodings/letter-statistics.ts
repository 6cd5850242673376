import { setImmediate } from 'node:timers/promises'
import { createDecoder } from './create-decoder.ts'
import { ENCODINGS, type Encoding } from './encodings.ts'

/** How bytes read in an encoding. */
export interface EncodingGuess {
  encoding: Encoding
  /** From 0 to 1: how much the text looks like one of a language. */
  score: number
  text: string
}

/**
 * The letters other than ASCII of languages that are written with Latin ones, the frequent ones first. A name from
 * elsewhere may stand in any of them, so that other Latin letters count a little.
 */
const LATIN_LANGUAGES = [
  'üäöß',
  'éèêçàëïâôîùûüœæÿ',
  'áíóéñúüçàòè',
  'ãçáéíóêõúâàô',
  'éèçàùìòóí',
  'åäöéü',
  'øåæéöü',
  'íðáþóúæéöý',
  'ëéïèüöêáóç',
  'łęąóżśćńź',
  'íáéěřščžýůúťňďó',
  'áíéščžýúľťňčôäĺŕó',
  'áéíóöőüúű',
  'ăâîșțşţ',
  'čšžćđ',
  'ıüşçğöİâî',
  'ėšįųžūąęč',
  'āīēšņļūķģžč',
  'äõöüšž',
  'ċġħżàèìòù',
  'ĉĝĥĵŝŭ',
] as const

/** Letters of other scripts, the frequent ones first. */
const OTHER_LANGUAGES = [
  'оаеинтврсклмдпуяыьгзбчйхжшюцщэфъё',
  'оаинвеірткслдмупяьгзбчхйшжюцїєщфґ',
  'аеионтрвсдклпмзубгяйъчцжщшхюфь',
  'аиоенрстјвкдлмпугзбчћшжљцхњфђџ',
  'αοιετσνηρκλυμπςάίόωέθγδήύώχφβζξψϊϋΐΰ',
  'יוהלאםרנתשבמדעקחספגןטזכץךצףװ',
  'ايلمرنتبهةودسعفحقكجشطزصخأضغءذثىئظإؤآ',
  'านรกเงมยลวดทสตะปบคหแจพชขใไโผฟถซณธศษภญฐอ์่้ิีึืุูั็ำๆฯ',
] as const

/** Of letters of Chinese, Japanese, and Korean, what names and the words of staff lists have most. */
const COMMON_SIMPLIFIED =
  '王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤伟芳娜秀英敏静丽强磊军洋勇艳杰娟涛明超兰霞平刚桂文辉玲宇浩建国华志红春梅晓小海燕雪婷员工姓名部门职位经理销售技术财务人事总监北京上海广州深圳电话邮箱入职日期主管市场研发中心公司行政助理工程师会计在职离职男女性别手机地址编号'
const COMMON_TRADITIONAL =
  '陳林黃張李王吳劉蔡楊許鄭謝郭洪曾邱廖賴周徐蘇葉莊呂江何蕭羅高潘簡朱鍾游彭詹胡施沈余盧梁趙顏柯翁魏孫戴范方宋鄧杜傅侯曹薛丁馬蔣董唐藍卓石姚連馮歐美雅淑志俊怡建家文明惠君宗慧雯婷玲華宏偉國佳欣宜芬珍麗英秀員工姓名部門職稱經理銷售業務技術財務人事總監臺台北香港電話郵箱到職日期主管市場研發中心公司行政助理工程師會計在職離職男女性別手機地址編號'
const COMMON_KOREAN =
  '김이박최정강조윤장임한오서신권황안송류전홍고문양손배백허유남심노하곽성차주우구민진지현수영준서연도은혜미경철희정승재호동훈상태원석선아인나라윤규기용병종창광덕숙순자옥명사원부서직급팀장과대리차이름성이메일전화입사일번호영업개발인사총무재무기획마케팅연구소본부서울산대표이사담당주임여휴직재직퇴'
const COMMON_JAPANESE =
  '佐藤鈴木高橋田中伊渡辺山本村小林加吉井上原川清水松口石崎池橋野内島和子美太郎一二三大介健雄明正博幸恵香真由奈沙織翔悠陽子愛結菜健太部課社員番号氏名姓役職所属入社日退電話営業開発総務人事経理技術東京大阪本支店長主任正契約在籍性別男女新谷西今岡福前千葉青浜斎藤近遠安岩宮古久保平河土屋荒武'

/** Where the letters of a double-byte encoding stand: the frequent half of them, and the others. */
interface DoubleByte {
  common: ReadonlySet<string>
  /** The weight of a character by the first byte and the second. */
  weigh(lead: number, trail: number): number
}

const isHigh = (byte: number) => byte >= 0xa1
const isWithin = (byte: number, low: number, high: number) => byte >= low && byte <= high

/** The sets that the standards put first have the characters in daily use. */
const DOUBLE_BYTE: Partial<Record<Encoding, DoubleByte>> = {
  shift_jis: {
    common: new Set(COMMON_JAPANESE),
    weigh: (lead, trail) => {
      if (lead === 0x82 || lead === 0x83) return 1
      if (isWithin(lead, 0x88, 0x97)) return 0.7
      return lead === 0x81 && trail !== 0 ? 0.6 : 0.3
    },
  },
  'euc-jp': {
    common: new Set(COMMON_JAPANESE),
    weigh: (lead) => {
      if (lead === 0xa4 || lead === 0xa5) return 1
      if (isWithin(lead, 0xb0, 0xcf)) return 0.7
      return lead === 0xa1 || lead === 0xa3 ? 0.6 : 0.3
    },
  },
  gb18030: {
    common: new Set(COMMON_SIMPLIFIED),
    weigh: (lead, trail) => {
      if (!isHigh(trail) || lead < 0xa1) return 0.1
      if (isWithin(lead, 0xb0, 0xd7)) return 0.7
      return lead <= 0xa3 ? 0.6 : 0.3
    },
  },
  big5: {
    common: new Set(COMMON_TRADITIONAL),
    weigh: (lead) => (isWithin(lead, 0xa4, 0xc6) ? 0.7 : isWithin(lead, 0xa1, 0xa3) ? 0.5 : 0.2),
  },
  'euc-kr': {
    common: new Set(COMMON_KOREAN),
    weigh: (lead, trail) => {
      if (!isHigh(trail)) return 0.1
      if (isWithin(lead, 0xb0, 0xc8)) return 0.7
      return isWithin(lead, 0xa1, 0xa3) ? 0.6 : 0.1
    },
  },
}

const RANKS = [...LATIN_LANGUAGES, ...OTHER_LANGUAGES].map(rankLetters)

/**
 * The weights of letters: 1 for the most frequent one, a quarter less for the last Latin one, half less in a script.
 */
function rankLetters(letters: string): ReadonlyMap<string, number> {
  const isLatin = (LATIN_LANGUAGES as readonly string[]).includes(letters)
  const list = [...letters]
  return new Map(list.map((letter, at) => [letter, 1 - ((isLatin ? 0.25 : 0.6) * at) / list.length]))
}

/** Latin letters of any language. */
const ANY_LATIN = new Set(LATIN_LANGUAGES.join(''))
/** What programs put in the place of ASCII punctuation, and amounts of money. */
const PUNCTUATION = /[’‘“”„‚–—…•€°§«»\u00a0№·]/

/** Encodings that few programs have ever written. */
const RARE: ReadonlySet<Encoding> = new Set([
  'windows-1258',
  'iso-8859-3',
  'iso-8859-4',
  'iso-8859-10',
  'iso-8859-14',
  'iso-8859-16',
])

/**
 * Reads bytes in all encodings, the likeliest first. Of encodings that read alike, the most common one stays. Each
 * takes a turn of the event loop of its own.
 */
export async function rankEncodings(bytes: Uint8Array): Promise<EncodingGuess[]> {
  const guesses = new Map<string, EncodingGuess>()
  for (const encoding of Object.keys(ENCODINGS) as Encoding[]) {
    if (encoding.startsWith('utf-')) continue
    await setImmediate()
    // Node.js 20 reads some bytes of Windows-1252 rightly only in a stream.
    const decoder = createDecoder(encoding)
    const text = decoder.decode(bytes, { stream: true }) + decoder.decode()
    if (!guesses.has(text))
      guesses.set(text, {
        encoding,
        text,
        score: Math.max(0, scoreText(text, bytes, encoding) - (RARE.has(encoding) ? 0.2 : 0)),
      })
  }
  return [...guesses.values()].toSorted((a, b) => b.score - a.score)
}

function scoreText(text: string, bytes: Uint8Array, encoding: Encoding): number {
  const doubleByte = DOUBLE_BYTE[encoding]
  return doubleByte ? scoreDoubleBytes(text, bytes, doubleByte) : scoreLetters(text)
}

/** The average weight of the characters, in the language that fits best. */
function scoreLetters(text: string): number {
  const shares = new Map<string, number>()
  let [sum, count] = [0, 0]
  for (let at = 0; at < text.length; at += 1) {
    if (text.charCodeAt(at) < 0x80) continue
    count += 1
    const character = text.charAt(at)
    const weight = weighInPlace(character, classify(text.charAt(at - 1)), classify(text.charAt(at + 1)))
    if (weight === 'letter') shares.set(character, (shares.get(character) ?? 0) + 1)
    else sum += weight
  }
  const inLanguage = RANKS.map((rank) => {
    let weights = 0
    for (const [character, times] of shares) {
      const letter = character.toLowerCase()
      weights += times * (rank.get(letter) ?? (ANY_LATIN.has(letter) ? 0.3 : 0))
    }
    return weights
  })
  return count === 0 ? 0 : (sum + Math.max(...inLanguage)) / count
}

/**
 * Weighs a character by its neighbors: what is no letter, and a letter where none can be. Others count in a language.
 */
function weighInPlace(character: string, before: Class, after: Class): number | 'letter' {
  const own = classify(character)
  if (!own.isLetter) {
    if (character === '’' && before.isLetter) return 0.75
    if (!own.isPunctuation) return before.isLetter || after.isLetter ? -1 : -0.3
    return before.isLetter && after.isLetter ? -0.3 : 0.6
  }
  if (!own.isLatin && (before.isAscii || after.isAscii)) return -1
  // A capital within a word, or a small letter before capitals: ŽŠČ reads as one of these in the wrong encoding.
  if (own.isUpper && before.isLower) return -0.5
  if (own.isLower && after.isUpper && (before.isUpper || (own.isLatin && !before.isLetter))) return -0.5
  return 'letter'
}

/** What kind of character one is. */
interface Class {
  isLetter: boolean
  isUpper: boolean
  isLower: boolean
  isLatin: boolean
  /** Whether it is a letter of ASCII. */
  isAscii: boolean
  isPunctuation: boolean
}

/** The classes of the characters that encodings of one byte have, so that each is found out once. */
const CLASSES = new Map<string, Class>()

function classify(character: string): Class {
  const known = CLASSES.get(character)
  if (known) return known
  const found = {
    isLetter: /[\p{L}\p{M}]/u.test(character),
    isUpper: /\p{Lu}/u.test(character),
    isLower: /\p{Ll}/u.test(character),
    isLatin: /\p{Script=Latin}/u.test(character),
    isAscii: /[A-Za-z]/.test(character),
    isPunctuation: PUNCTUATION.test(character),
  }
  CLASSES.set(character, found)
  return found
}

/** The average weight of the characters: by their places in the set, and by what is usual in the language. */
function scoreDoubleBytes(text: string, bytes: Uint8Array, { common, weigh }: DoubleByte): number {
  let [sum, count] = [0, 0]
  for (let at = 0; at < bytes.length; at += 1) {
    const lead = bytes[at]!
    if (lead < 0x80) continue
    count += 1
    at += 1
    sum += weigh(lead, bytes[at] ?? 0)
  }
  let [usual, letters, faults] = [0, 0, 0]
  for (const character of text) {
    if (character < '\x80') continue
    letters += 1
    if (character === '\ufffd' || /[\p{Co}\p{Cc}]/u.test(character)) faults += 1
    else if (common.has(character) || /[\u3040-\u30ff]/.test(character)) usual += 1
  }
  if (count === 0 || letters === 0) return 0
  return Math.min(1, sum / count + (0.6 * usual) / letters - (2 * faults) / letters - mixedShare(text) / letters)
}

/** The number of places where an ideograph stands within a Latin word. */
function mixedShare(text: string): number {
  return text.match(/[A-Za-z][^\0-\x7f][a-z]|[a-z][^\0-\x7f]|[^\0-\x7f][a-z]/g)?.length ?? 0
}
