import { type RecordError, fieldError, invalidFields } from '#domain/errors'
import { STREAM_PREFIXES } from '#domain/event-types'
import { isId } from '#domain/ids'
import type { EventPlace } from '#ledger/read/browse-events'
import type { EventFilter } from '#ledger/read/event-filter'
import { pickFields, readFormFields, type FormFields, type FormProblem } from '../parts/form.ts'
import { checkPeriod, readPeriod } from '../parts/periods.ts'
import { findTypes } from './event-groups.ts'
import { WITHOUT_ID } from './event-sentence.ts'
import { isStorableText } from '#domain/storable-text'

/** The filters of the event stream in an address. */
const FILTERS = ['type', 'actor', 'id', 'from', 'to', 'q'] as const
/** The place in the list: the newest position of the page or, in links to newer events, the oldest. */
const PLACES = ['position', 'newer_from'] as const
const MAX_TEXT_CHARACTERS = 254

/** The query of an event stream's page. */
export interface EventQuery {
  /** The filters by name as given, neither checked nor normalized. */
  given: FormFields
  filter: EventFilter
  /** Instants, RFC 3339: from the first, before the second. */
  between: { from?: string; to?: string }
  place: EventPlace
  /** What is wrong with the address, by field. Then the filters mean nothing. */
  problem: FormProblem
}

/** Reads an address. Days and times are in the company's time zone; a day in `to` is included. */
export function readEventQuery(query: unknown, timeZone: string): EventQuery {
  const texts = readFormFields(query)
  const [given, places] = [pickFields(texts, FILTERS), pickFields(texts, PLACES)]
  const errors = [
    ...checkPeriod(given),
    ...Object.entries({ ...given, ...places }).flatMap(([name, text]) => findError(name, text) ?? []),
  ]
  if (errors.length > 0) return { ...NOTHING, given, problem: invalidFields(errors) }
  const { type, actor, id, q } = given
  const types = type === undefined ? null : findTypes(type)
  return {
    given,
    filter: {
      ...(types ? { types } : {}),
      ...(actor === undefined ? {} : { actor }),
      ...(q === undefined ? {} : { text: q }),
      ...(id === undefined ? {} : isId('log', id) ? { call: id } : { stream: id }),
    },
    between: readPeriod(given, timeZone),
    place: readPlace(places),
    problem: null,
  }
}

const NOTHING = { filter: {}, between: {}, place: { upTo: Number.MAX_SAFE_INTEGER } }

function readPlace({ position, newer_from: newerFrom }: FormFields): EventPlace {
  if (newerFrom !== undefined) return { from: Number(newerFrom) }
  return { upTo: position === undefined ? Number.MAX_SAFE_INTEGER : Number(position) }
}

/** Checks one value. Returns its error, or null. */
function findError(name: string, text: string): RecordError | null {
  const check = CHECKS[name]
  return !check || check.holds(text) ? null : fieldError(`/${name}`, 'invalid_value', `${name} ${check.rule}`)
}

const POSITION = { holds: isPosition, rule: 'must be a whole number from 1' }
const CHECKS: Record<string, { holds(text: string): boolean; rule: string }> = {
  type: { holds: (text) => findTypes(text) !== null, rule: 'must be an event type' },
  actor: {
    holds: (text) => isId('key', text) || isId('usr', text) || Object.hasOwn(WITHOUT_ID, text),
    rule: 'must be the ID of an API key or a user',
  },
  id: {
    holds: (text) => STREAM_PREFIXES.some((prefix) => isId(prefix, text)),
    rule: 'must be the ID of an employee, a call, an API key, a webhook, a user or the company',
  },
  q: {
    holds: (text) => [...text].length <= MAX_TEXT_CHARACTERS && isStorableText(text),
    rule: `must have at most ${MAX_TEXT_CHARACTERS} characters, and none that can't be stored`,
  },
  position: POSITION,
  newer_from: POSITION,
}

/** Whether a text is a ledger position, from 1. */
export function isPosition(text: string): boolean {
  return /^[1-9][0-9]{0,14}$/.test(text)
}
