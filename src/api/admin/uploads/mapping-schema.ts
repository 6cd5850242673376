import { Type, type TSchema } from '@sinclair/typebox'
import { CHOICES, COLUMN_QUESTIONS, FILE_QUESTIONS, MAX_WORDS, USUAL_CHOICES } from '#spreadsheets/mapping/mapping'
import { MAX_COLUMNS, MAX_NAME } from '#spreadsheets/mapping/record-columns'
import { nullable, oneOf, optionalInteger, optionalString, requireOnly, strictObject } from '#http/openapi/schema-parts'

/** The largest mapping: one with all columns, and names as long as they may be. */
export const MAX_MAPPING_BYTES = 524_288
/** The most values of one: all members of all columns, and the words of a dozen of them. */
export const MAX_MAPPING_VALUES = 16_384

/** The characters of a word for a status. */
const MAX_WORD = 128

const SeenWords = Type.Unsafe<Record<string, { rows: number; past_end_dates: number }>>({
  type: 'object',
  additionalProperties: {
    type: 'object',
    properties: { rows: { type: 'integer' }, past_end_dates: { type: 'integer' } },
  },
  propertyNames: { maxLength: MAX_WORD },
  maxProperties: MAX_WORDS,
  description:
    'Of each word of a column that may say who has left: how many rows have it, and how many of them an end date ' +
    'that has passed. What is sent is ignored.',
})

const MappedColumn = strictObject({
  header: Type.String({
    maxLength: MAX_NAME,
    description: 'The name of the column, as the file has it. Columns with the same name follow in their order.',
  }),
  to: {
    ...nullable(oneOf(CHOICES.to)),
    description:
      'What the column becomes: an attribute, `full_name`, `manager`, `custom`, or `nothing`. `phone_country` says ' +
      'in which country local phone numbers of the row are. `last_name_prefix` stands before the last name: ' +
      '`van der`. `key` is what managers are named by, which is not stored. `as_named` sets the attribute that ' +
      'the column names, exactly as the cell is written. Null: a person has to decide.',
  },
  name: optionalString({ maxLength: MAX_NAME, description: 'The name of a custom attribute.' }),
  type: Type.Optional(oneOf(CHOICES.type, 'The type of a custom attribute.')),
  dates: Type.Optional(
    nullable(oneOf(CHOICES.dates, 'Of dates: what comes first where a value may be two different dates.')),
  ),
  clock: Type.Optional(
    nullable(
      oneOf(CHOICES.clock, 'Of dates with a time of day: whether the day is as written, or the value cannot be read.'),
    ),
  ),
  calendar: Type.Optional(nullable(oneOf(CHOICES.calendar, 'Of dates: the calendar of their years.'))),
  words: Type.Optional(
    Type.Unsafe<Record<string, 'active' | 'inactive' | null>>({
      type: 'object',
      additionalProperties: nullable(oneOf(CHOICES.words)),
      propertyNames: { maxLength: MAX_WORD },
      maxProperties: MAX_WORDS,
      description:
        'What each word of a status means, each mark at a name, and each text in the place of an end date. Words of ' +
        'statuses that are known in many languages need not be given. Of a column with more words, some stay open. ' +
        'The word of an empty cell is empty.',
    }),
  ),
  names: Type.Optional(
    nullable(
      oneOf(
        CHOICES.names,
        'How full names are split. A comma always stands behind the last name. `first_last` and `last_first`: ' +
          'names of two words. `one_first_name`: the first word is the first name. `one_last_name` and ' +
          '`one_last_name_first`: the last or the first word is the last name. `capitals`: the words in capitals ' +
          'are the last name. `one_character`: the first character is, or two that are a known last name.',
      ),
    ),
  ),
  by: Type.Optional(nullable(oneOf(CHOICES.by, 'What names a manager, who may stand anywhere in the file.'))),
  empty_cells: Type.Optional(oneOf(CHOICES.empty_cells, 'What an empty cell of this column does.')),
  likely: Type.Optional(oneOf(CHOICES.to, 'What the values make likely, if `to` is null. What is sent is ignored.')),
  seen: Type.Optional(SeenWords),
})

/** A choice that a mapping need not name. */
function usual<Schema extends TSchema>(name: keyof typeof USUAL_CHOICES, schema: Schema): Schema {
  return { ...schema, default: USUAL_CHOICES[name] }
}

export const MappingBody = requireOnly(
  ['columns'],
  {
    columns: Type.Array(MappedColumn, { maxItems: MAX_COLUMNS }),
    empty_cells: usual(
      'empty_cells',
      oneOf(CHOICES.empty_cells, 'Whether an empty cell keeps what a person has, or clears it.'),
    ),
    unreadable_values: usual(
      'unreadable_values',
      oneOf(
        CHOICES.unreadable_values,
        'What happens to a value that cannot be read: its row is refused, or goes in without the value, unless it ' +
          'identifies a person, or is a termination date.',
      ),
    ),
    shared_emails: usual(
      'shared_emails',
      oneOf(
        CHOICES.shared_emails,
        'What happens to an email address that several people have: their rows are refused, or the later ones go in ' +
          'without the address.',
      ),
    ),
    past_end_dates: usual(
      'past_end_dates',
      nullable(
        oneOf(
          CHOICES.past_end_dates,
          'Whether people whose termination date has passed are deactivated, whatever else says that they are active.',
        ),
      ),
    ),
    country: usual(
      'country',
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        pattern: '^([A-Z]{2}|company)$',
        description:
          'The country (ISO 3166-1 alpha-2) of local phone numbers. `company`: that of the company. Null: a person ' +
          'has to decide, if it matters.',
      }),
    ),
    unknown_managers: usual(
      'unknown_managers',
      nullable(
        oneOf(
          CHOICES.unknown_managers,
          'What happens to a manager who is nobody in the file, nor in the company: the row is refused, or goes in ' +
            'without one.',
        ),
      ),
    ),
    same_addresses: usual(
      'same_addresses',
      nullable(
        oneOf(
          CHOICES.same_addresses,
          'Whether active people without an `external_id` are those whose rows have their addresses, and get its ' +
            '`external_id`, or these rows are refused.',
        ),
      ),
    ),
    stored_end_dates: usual(
      'stored_end_dates',
      nullable(
        oneOf(
          CHOICES.stored_end_dates,
          'Whether a `start_date` after the `termination_date` that the employee has clears that date, or its row is ' +
            'refused.',
        ),
      ),
    ),
    other_columns: Type.Optional(
      oneOf(CHOICES.other_columns, 'For `send --map`: what becomes of columns that the mapping does not name.'),
    ),
    counts: Type.Optional(
      Type.Object(
        Object.fromEntries(FILE_QUESTIONS.map((name) => [name, Type.Integer()])) as Record<
          (typeof FILE_QUESTIONS)[number],
          ReturnType<typeof Type.Integer>
        >,
        { description: 'How many rows a choice is about that is null. What is sent is ignored.' },
      ),
    ),
  },
  { description: 'What the columns of a file mean, and how their values are read.' },
)

const ASKED_COLUMN = {
  header: optionalString(),
  likely: Type.Optional(oneOf(CHOICES.to, 'What the values of the column make likely.')),
  seen: Type.Optional(SeenWords),
}

export const ShownQuestion = Type.Object({
  about: oneOf([...COLUMN_QUESTIONS, ...FILE_QUESTIONS], 'The member of the mapping, or of its column, that is null.'),
  column: optionalInteger({ description: 'The place of the column in the mapping, from 1.' }),
  ...ASKED_COLUMN,
  words: Type.Optional(Type.Array(Type.String(), { description: 'The words whose meaning is open.' })),
  others: Type.Optional(
    Type.Array(Type.Object({ column: Type.Integer(), ...ASKED_COLUMN }), {
      description: 'The other columns about which the same is asked. At most one of them is what is `likely`.',
    }),
  ),
  rows: optionalInteger({ description: 'How many rows a question about the file concerns.' }),
})
