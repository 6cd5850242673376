import { readName } from '../../../src/spreadsheets/cells.ts'
import {
  CHOICES,
  COLUMN_QUESTIONS,
  type ColumnMapping,
  columnsOf,
  FILE_QUESTIONS,
  listQuestions,
  type Mapping,
  type Question,
} from '../../../src/spreadsheets/mapping/mapping.ts'
import { isPhoneCountry } from '../../../src/spreadsheets/values/read-phone.ts'
import { usageError } from './exit-codes.ts'

/* The option --answer: each question about a file can be answered on the command line. */

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
  const questions: readonly string[] = column === null ? FILE_QUESTIONS : COLUMN_QUESTIONS
  const isKnown = questions.includes(about) && (about === 'words') === (word !== null)
  if (!isKnown || !canBe(about as Choice, value))
    throw usageError(
      `--answer ${text}: give COLUMN:QUESTION=ANSWER, COLUMN:words:WORD=ANSWER, or QUESTION=ANSWER, as a question ` +
        'names them',
    )
  return { about: about as Answer['about'], column, word, value }
}

export type Choice = keyof typeof CHOICES | 'country'

/** Whether a choice of a mapping can have a value. */
export function canBe(choice: Choice, value: unknown): boolean {
  if (choice !== 'country') return CHOICES[choice].some((one) => one === value)
  return value === 'company' || (typeof value === 'string' && isPhoneCountry(value))
}

/** Lists what a choice can be. */
export function listValues(choice: Choice): string {
  return choice === 'country' ? 'company|CODE' : CHOICES[choice].join('|')
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

/** Answers what is asked about a file and its columns. */
export function answerFile(mapping: Mapping, answers: readonly Answer[]): Mapping {
  const ofFile = answers.filter(({ column }) => column === null)
  const columns = mapping.columns.map((column) => answerColumn(column, answers))
  return { ...mapping, ...Object.fromEntries(ofFile.map(({ about, value }) => [about, value])), columns }
}

/** The questions that are listed. */
const MAX_LISTED = 40

/** Lists the options that answer what is open. */
export function describeAnswers(mapping: Mapping): string[] {
  return listQuestions(mapping).slice(0, MAX_LISTED).flatMap(describeAnswer)
}

function describeAnswer(question: Question): string[] {
  const { about } = question
  const offer = (name: string) => `  --answer ${quote([name, listValues(about)].join('='))}`
  if (!('column' in question)) return [offer(about)]
  return columnsOf(question).flatMap(({ header }) => {
    const name = `${readName(header)}:${about}`
    return question.words ? question.words.map((word) => offer(`${name}:${word}`)) : [offer(name)]
  })
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
