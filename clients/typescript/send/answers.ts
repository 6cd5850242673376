import { readName } from '../../../src/spreadsheets/cells.ts'
import {
  CALENDARS,
  CLOCKS,
  COLUMN_QUESTIONS,
  type ColumnMapping,
  columnsOf,
  DATE_ORDERS,
  FILE_QUESTIONS,
  listQuestions,
  MANAGER_KEYS,
  type Mapping,
  NAME_RULES,
  type Question,
  TARGETS,
} from '../../../src/spreadsheets/mapping.ts'
import { isPhoneCountry } from '../../../src/spreadsheets/read-phone.ts'
import { usageError } from './exit-codes.ts'

/* The option --answer: each question about a file can be answered on the command line. */

/** What a question about a column, or about a file, can be answered with. Of words, each is answered. */
const COLUMN_ANSWERS = {
  to: TARGETS,
  dates: DATE_ORDERS,
  clock: CLOCKS,
  calendar: CALENDARS,
  names: NAME_RULES,
  by: MANAGER_KEYS,
  words: ['active', 'inactive'],
} as const satisfies Record<(typeof COLUMN_QUESTIONS)[number], readonly string[]>

const FILE_ANSWERS = {
  past_end_dates: ['deactivate', 'keep'],
  country: null,
  unknown_managers: ['leave_out', 'refuse'],
  same_addresses: ['link', 'refuse'],
  stored_end_dates: ['clear', 'refuse'],
} as const satisfies Record<(typeof FILE_QUESTIONS)[number], readonly string[] | null>

/** `COLUMN:about=value`, `COLUMN:words:WORD=value`, or `about=value`. */
export interface Answer {
  about: (typeof COLUMN_QUESTIONS)[number] | (typeof FILE_QUESTIONS)[number]
  /** The name of the column; null if it is about the file. */
  column: string | null
  word: string | null
  value: string
}

/** Reads an answer. Throws CommandError. */
export function readAnswer(text: string): Answer {
  const [, left = '', value = ''] = /^(.*)=([^=]*)$/s.exec(text) ?? []
  const [, column = null, about = left, word = null] =
    /^(.+):(words):(.*)$/s.exec(left) ?? /^(.+):([a-z]+)$/s.exec(left) ?? []
  const answers: Record<string, readonly string[] | null> = column === null ? FILE_ANSWERS : COLUMN_ANSWERS
  const isKnown = Object.hasOwn(answers, about) && (about === 'words') === (word !== null)
  if (!isKnown || !(answers[about]?.includes(value) ?? isPhoneCountry(value)))
    throw usageError(
      `--answer ${text}: give COLUMN:QUESTION=ANSWER, COLUMN:words:WORD=ANSWER, or QUESTION=ANSWER, as a question ` +
        'names them',
    )
  return { about: about as Answer['about'], column, word, value }
}

/** Answers the questions about a column. If an answer changes what the column means, its values are read again. */
export function answerColumn(
  column: ColumnMapping,
  answers: readonly Answer[],
  only: readonly Answer['about'][] = COLUMN_QUESTIONS,
): ColumnMapping {
  const { header } = column
  return answers
    .filter((answer) => answer.column === readName(header) && only.includes(answer.about))
    .reduce((given: ColumnMapping, { about, word, value }): ColumnMapping => {
      if (about === 'words') return { ...given, words: { ...given.words, [word!]: value as 'active' } }
      if (about !== 'to') return { ...given, [about]: value }
      return given.to === value ? given : { header, to: value as ColumnMapping['to'] }
    }, column)
}

/** Answers what is asked about the file. */
export function answerFile(mapping: Mapping, answers: readonly Answer[]): Mapping {
  const ofFile = answers.filter(({ column }) => column === null)
  return { ...mapping, ...Object.fromEntries(ofFile.map(({ about, value }) => [about, value])) }
}

/** The questions that are listed. */
const MAX_LISTED = 40

/** Lists the options that answer what is open. */
export function describeAnswers(mapping: Mapping): string[] {
  return listQuestions(mapping).slice(0, MAX_LISTED).flatMap(describeAnswer)
}

function describeAnswer(question: Question): string[] {
  const { about } = question
  const offer = (name: string, values: readonly string[] | null) =>
    `  --answer ${quote(`${name}=${values?.join('|') ?? 'CODE'}`)}`
  if (!('column' in question)) return [offer(about, FILE_ANSWERS[about as (typeof FILE_QUESTIONS)[number]])]
  const values = COLUMN_ANSWERS[question.about]
  return columnsOf(question).flatMap(({ header }) => {
    const name = `${readName(header)}:${about}`
    return question.words ? question.words.map((word) => offer(`${name}:${word}`, values)) : [offer(name, values)]
  })
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
