import { trimBlanks } from '#text/normalize-text'
import { readName } from '#spreadsheets/cells'
import {
  type ColumnMapping,
  type ColumnQuestion,
  type Mapping,
  type Question,
  type Target,
  type COLUMN_QUESTIONS,
  columnsOf,
  FILE_QUESTIONS,
  isDate,
  listQuestions,
  locateColumns,
} from '#spreadsheets/mapping/mapping'
import { isPhoneCountry } from '#spreadsheets/values/read-phone'
import { isSecretHeader } from '#spreadsheets/words/recognize-header'
import { hasOwnColumns } from '#spreadsheets/mapping/record-columns'
import { guessNameRule } from '#spreadsheets/values/split-name'
import type { StoredUpload } from '#ledger/uploads/read-uploads'
import { FileFaultError } from '#uploads/part-builder'
import { listReturning } from '#uploads/returning-people'
import type { PartPreview } from '#uploads/run-part'
import type { FormFields } from '#pages/parts/form'
import { listReadings, READINGS, STATUSES, type Options, type Reading, TARGET_LABELS } from './column-readings.ts'
import { UPLOAD_PATH } from '#wording/navigation'
import { isolate, html, type Html, renderEach, renderTable, renderJoined } from '#pages/parts/elements'
import { formatCount, formatNumber, isOrAre } from '#wording/numbers'
import { renderBreakable } from '#pages/parts/attribute-values'

/** A column and some of its values. */
interface ShownColumn {
  at: number
  column: ColumnMapping
  examples: readonly string[]
}

/**
 * Renders what the columns of a file mean, to change it, and what is open about them, with answers that are likely.
 * `country` is the likeliest one of local phone numbers.
 */
export function renderMapping(
  { id, header, mapping }: StoredUpload,
  preview: PartPreview,
  country: string | undefined,
) {
  if (header === null || mapping === null || mapping.columns.length === 0 || hasOwnColumns(header)) return html``
  const places = locateColumns(header, mapping.columns)
  const rows = mapping.columns.map((column, at) => ({
    at,
    column,
    examples: preview.records.examples[places[at]!] ?? [],
  }))
  const asked = listQuestions(mapping)
  const unused = mapping.columns.filter(({ to }) => to === 'nothing')
  return html`<form method="post" action="${UPLOAD_PATH}/${id}/mapping">
    ${asked.length !== 0 && renderQuestions(mapping, asked, rows, { country, returning: listReturning(preview) })}
    <details class="mapping">
      <summary>
        Columns: ${formatCount(mapping.columns.length - unused.length, 'column')}
        used${unused.length !== 0 && html`, not used: ${renderNames(unused)}`}
      </summary>
      ${renderTable<ShownColumn>({
        caption: 'Columns of the file',
        columns: {
          Column: ({ column }) => isolate(readName(column.header)),
          Values: { isLong: true, cell: renderExamples },
          'Goes to': (row) => (row.column.to === null ? ASKED : renderTarget(row)),
          'How values are read': (row) => renderReading(row),
        },
        rows,
      })}
      ${renderChoices(mapping, asksToLeaveOut(asked))}
      <div class="actions">
        <button>Preview again</button>
        <a class="button" href="/admin/v1/uploads/${id}/mapping" download="mapping.json">Download this mapping</a>
      </div>
    </details>
  </form>`
}

const ASKED = html`<em>asked above</em>`

/** Whether the questions also ask whether to leave values out: where a column goes may raise another one first. */
function asksToLeaveOut(asked: readonly Question[]): boolean {
  return asked.length > 0 && asked.every(({ about }) => about !== 'to')
}

/** Renders what only a person can decide, with answers that are likely. */
function renderQuestions(
  mapping: Mapping,
  asked: readonly Question[],
  rows: readonly ShownColumn[],
  { country, returning }: { country: string | undefined; returning: readonly string[] },
) {
  const count = asked.length
  return html`<fieldset class="questions">
    <legend>${formatCount(count, 'question')} about the file ${isOrAre(count)} open</legend>
    ${renderEach(asked, (question) => {
      if (!('column' in question)) {
        const { about } = question
        const said = html`<p><strong>${formatCount(question.rows, 'row')}: ${FILE_QUESTION_TEXTS[about]}</strong></p>`
        const names = about === 'stored_end_dates' && html`<p>${isolate(returning.join(', '))}</p>`
        if (about === 'country') return html`${said} ${renderCountry(country ?? '')}`
        return html`${said} ${names} ${renderChoice(mapping, about, findLikely(mapping, about))}`
      }
      const all = columnsOf(question).map(({ column }) => rows[column - 1]!)
      const { about } = question
      const answerFor = (row: ShownColumn) =>
        about === 'to' ? renderTarget(row, findOnlyLikely(all, row)) : renderReading(row, about)
      if (all.length === 1) return renderQuestion(html`: ${QUESTIONS[about]}`, all[0]!, answerFor(all[0]!))
      return html`<p><strong>${askAboutColumns(question, all.length)}</strong></p>
        ${renderEach(all, (row) => renderQuestion('', row, answerFor(row)))}`
    })}
    ${asksToLeaveOut(asked) && renderChoice({ ...mapping, unreadable_values: 'leave_out' }, 'unreadable_values')}
    <p class="hint">
      An answer is preselected only if the values support it. The preview shows the effect of the answers. They are
      remembered once the file is applied.
    </p>
    <div class="actions"><button class="primary">Preview with these answers</button></div>
  </fieldset>`
}

/**
 * What a column is likely to be: of several that are asked together, at most one is, but all of them may be nothing. Words
 * that are not known may say anything, so no column of these is chosen beforehand to say who has left.
 */
function findOnlyLikely(asked: readonly ShownColumn[], { column: { likely } }: ShownColumn): Target | undefined {
  if (likely === 'status') return undefined
  return likely === 'nothing' || asked.filter(({ column }) => column.likely === likely).length === 1
    ? likely
    : undefined
}

function askAboutColumns({ about, likely }: Pick<ColumnQuestion, 'about' | 'likely'>, count: number): string {
  if (about !== 'to' || likely === undefined || likely === 'nothing' || isDate(likely))
    return `${formatCount(count, 'column')}: ${QUESTIONS[about].replace('this column', 'them')}`
  return `Which of these ${count} columns, if any, is: ${TARGET_LABELS[likely]}?`
}

/** What an end date that has passed says where no column has a status, and what harms nobody. */
function findLikely({ columns }: Mapping, about: Exclude<(typeof FILE_QUESTIONS)[number], 'country'>): string {
  if (about !== 'past_end_dates') return about === 'unknown_managers' ? 'leave_out' : ''
  return columns.some(({ to }) => to === 'status') ? '' : 'deactivate'
}

const QUESTIONS = {
  to: 'What is in this column?',
  dates: 'What order are the dates in?',
  names: 'Which part is the last name?',
  by: 'How does the file identify managers?',
  words: 'Who is active?',
  clock: 'The dates have a time of day. Is the day correct as written?',
  calendar: 'Which calendar do the years use?',
} as const satisfies Record<(typeof COLUMN_QUESTIONS)[number], string>

const FILE_QUESTION_TEXTS = {
  past_end_dates: 'the end date has passed, and nothing else says that these people have left',
  country: 'the phone number has no country code',
  unknown_managers: 'the manager is neither in the file nor in the company',
  same_addresses: 'people without an external ID already have these addresses. Are they the same people?',
  stored_end_dates: 'people have come back, but their stored end date is before the new start date',
} as const satisfies Record<(typeof FILE_QUESTIONS)[number], string>

function renderQuestion(text: Html | string, row: ShownColumn, answer: Html) {
  return html`<p>
      <strong>${isolate(readName(row.column.header))}${text}</strong>
      <span class="hint">${renderExamples(row)}</span>
    </p>
    <div>${answer}</div>`
}

/** Renders a button that imports the rows without the values that cannot be read. */
export function renderLeaveOut({ id }: Pick<StoredUpload, 'id'>) {
  return html`<form method="post" action="${UPLOAD_PATH}/${id}/mapping">
    <button name="unreadable_values" value="leave_out">Leave out the values that cannot be read</button>
  </form>`
}

/** The names that are shown of columns. */
const MAX_NAMES = 20

function renderNames(columns: readonly ColumnMapping[]) {
  const more = columns.length - MAX_NAMES
  const names = columns.slice(0, MAX_NAMES).map(({ header }) => isolate(readName(header)))
  return html`${renderJoined(names)}${more > 0 && ` and ${more} more`}`
}

function renderExamples({ column, examples }: ShownColumn) {
  if (isSecretHeader(readName(column.header)) && examples.length === 0) return html`<em>not kept</em>`
  return html`${examples.map((value, at) => {
    const shown = value.includes('@') ? renderBreakable(value) : isolate(value)
    return html`${at > 0 && ' · '}${shown}`
  })}`
}

/** An answer has to be chosen if nothing is, but where the column may become something else. */
const CHOOSE: Options = { '': 'Choose' }
const OPEN: Options = { open: 'Choose' }

function renderTarget({ at, column: { to, header } }: ShownColumn, likely?: Target) {
  const options = to === null ? { ...CHOOSE, ...TARGET_LABELS } : TARGET_LABELS
  return renderSelect(`to.${at}`, `What ${readName(header)} becomes`, options, to ?? likely ?? '')
}

function renderSelect(name: string, label: string, options: Options, chosen: string) {
  return html`<select name="${name}" aria-label="${label}" ${'' in options && html`required`}>
    ${Object.entries(options).map(
      ([value, text]) => html`<option value="${value}" ${value === chosen && html`selected`}>${text}</option>`,
    )}
  </select>`
}

/** Renders how the values of a column are read: one thing that is open about them, or what is not. */
function renderReading({ at, column, examples }: ShownColumn, about?: ColumnQuestion['about']) {
  const { to } = column
  const [isOpen, name] = [about !== undefined, readName(column.header)]
  const likely = to === 'full_name' ? guessNameRule(examples) : null
  const readings = listReadings(to).filter((reading) => !isOpen || reading === about)
  const selects = readings.map((reading) => {
    const { what, options } = READINGS[reading]
    const chosen = column[reading]
    if (isDate(to) && (chosen === undefined || (isOpen && chosen !== null))) return ''
    if (!chosen && !isOpen) return ASKED
    const answer = chosen ?? likely ?? ''
    return renderSelect(`${reading}.${at}`, `${what} of ${name}`, answer ? options : { ...CHOOSE, ...options }, answer)
  })
  const what = `Name of the custom attribute ${name}`
  if (to === 'custom')
    return html`<input name="name.${at}" value="${column.name ?? name}" maxlength="64" aria-label="${what}" />`
  if (isOpen && about !== 'words') return html`${selects}`
  // Proposed by its values, it may say something else.
  const isProposed = isOpen && column.likely === 'status'
  return html`${selects} ${isProposed && renderTarget({ at, column, examples })}
  ${Object.entries(column.words ?? {}).map(([word, status], number) => {
    if ((status === null) !== isOpen) return ''
    const options = status === null ? { ...(isProposed ? OPEN : CHOOSE), ...STATUSES } : STATUSES
    const select = renderSelect(`word.${at}.${number}`, `Meaning of ${word}`, options, status ?? '')
    return html`<p>
      <label>${isolate(word === '' ? '(empty)' : word)} ${select}</label>
      ${renderSeen(column, word)}
    </p>`
  })}`
}

/** What the rows say for a word. */
function renderSeen({ seen }: ColumnMapping, word: string) {
  const counted = seen?.[word]
  if (!counted) return html``
  const past =
    counted.past_end_dates === 0 ? '' : `, ${formatNumber(counted.past_end_dates)} with an end date in the past`
  return html`<span class="hint">${formatCount(counted.rows, 'row')}${past}</span>`
}

const CHOICES = {
  empty_cells: {
    label: 'An empty cell',
    options: { keep: 'keeps what the person has', clear: 'clears it' },
  },
  unreadable_values: {
    label: 'A value that cannot be read',
    options: { refuse: 'refuses the row', leave_out: 'is left out' },
  },
  shared_emails: {
    label: 'An email address that several people share',
    options: { refuse: 'refuses their rows', leave_out: 'is left out in the later rows' },
  },
  past_end_dates: {
    label: 'People whose termination date has passed',
    options: { keep: 'stay as they are', deactivate: 'are deactivated' },
  },
  unknown_managers: {
    label: 'An unknown manager',
    options: { leave_out: 'is left out', refuse: 'refuses the row' },
  },
  same_addresses: {
    label: 'People with the same address and no external ID',
    options: { link: 'are the same, and get the external ID', refuse: 'are different: their rows are refused' },
  },
  stored_end_dates: {
    label: 'A stored termination date before a new start date',
    options: { clear: 'is cleared', refuse: 'refuses the row' },
  },
} as const satisfies {
  [Name in keyof Mapping]?: { label: string; options: Record<NonNullable<Mapping[Name]> & string, string> }
}

function renderChoice(mapping: Mapping, name: keyof typeof CHOICES, likely = '') {
  const { label, options } = CHOICES[name]
  const chosen = mapping[name] ?? likely
  const offered = chosen === '' ? { ...CHOOSE, ...options } : options
  return html`<p><label>${label} ${renderSelect(name, label, offered, chosen)}</label></p>`
}

const CAPITALS = html`autocapitalize="characters" spellcheck="false"`

function renderCountry(country: string) {
  return html`<p>
    <label>
      Country of local phone numbers, such as DE
      <input name="country" value="${country}" maxlength="2" size="3" ${CAPITALS} />
    </label>
  </p>`
}

/** Renders how the values of the file are read. What is asked stands above, perhaps whether to leave values out. */
function renderChoices(mapping: Mapping, isLeftOutAsked: boolean) {
  return html`<fieldset>
    <legend>Values</legend>
    ${renderChoice(mapping, 'empty_cells')} ${!isLeftOutAsked && renderChoice(mapping, 'unreadable_values')}
    ${renderChoice(mapping, 'shared_emails')}
    ${FILE_QUESTIONS.map((name) => {
      if (mapping[name] === null) return ''
      if (name !== 'country') return renderChoice(mapping, name)
      return renderCountry(mapping.country === 'company' ? '' : mapping[name])
    })}
  </fieldset>`
}

/** Changes a mapping as its form says. What the form doesn't say stays. Throws FileFaultError. */
export function readMapping(mapping: Mapping, fields: FormFields): Mapping {
  const choices = Object.entries(CHOICES).map(([name, { options }]) => {
    return [name, pick<string>(options, fields[name]) ?? mapping[name as keyof typeof CHOICES]]
  })
  return {
    ...(Object.fromEntries(choices) as Pick<Mapping, keyof typeof CHOICES>),
    columns: mapping.columns.map((column, at) => readColumn(column, at, fields)),
    country: fields['country'] === undefined ? mapping.country : readCountry(fields['country'], mapping.country),
  }
}

/** Reads the country of local phone numbers. Without one, it stays open, or is the company's. Throws FileFaultError. */
function readCountry(typed: string, before: Mapping['country']): Mapping['country'] {
  const country = trimBlanks(typed).toUpperCase()
  if (country === '') return before === null ? null : 'company'
  if (isPhoneCountry(country)) return country
  throw new FileFaultError([
    { line: 1, column: null, message: `"${country}" is not the code of a country (ISO 3166-1), such as DE or GB` },
  ])
}

function pick<Value extends string>(options: Readonly<Record<Value, string>>, text: string | undefined) {
  return (Object.keys(options) as Value[]).find((value) => value === text)
}

/** Of a column that becomes something else, the values are looked at again. */
function readColumn(column: ColumnMapping, at: number, fields: FormFields) {
  const to = pick<Target>(TARGET_LABELS, fields[`to.${at}`]) ?? (fields[`to.${at}`] === '' ? null : column.to)
  const { header } = column
  if (to !== column.to) return { header, to, ...(to === 'custom' ? { name: readName(header) } : {}) }
  const asked = (name: string) => fields[`${name}.${at}`]
  const readings = listReadings(to)
    .filter((reading) => asked(reading) !== undefined)
    .map((reading) => [reading, pick<string>(READINGS[reading].options, asked(reading)) ?? null])
  return {
    ...column,
    ...(Object.fromEntries(readings) as Pick<ColumnMapping, Reading>),
    ...(column.words ? { words: readWords(column.words, at, fields) } : {}),
    ...(to === 'custom' && asked('name') ? { name: asked('name')! } : {}),
  }
}

function readWords(words: NonNullable<ColumnMapping['words']>, at: number, fields: FormFields) {
  return Object.fromEntries(
    Object.entries(words).map(([word, status], number) => {
      const answer = fields[`word.${at}.${number}`]
      return [word, answer === undefined ? status : (pick(STATUSES, answer) ?? null)]
    }),
  )
}
