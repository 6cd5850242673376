import { trimBlanks } from '#text/normalize-text'
import { findAttribute, isSameName, isSchemaUrn, SCHEMAS, spellUrn } from './schemas.ts'
import { foldValue } from './user-values.ts'

/*
 * Paths and filters (RFC 7644 sections 3.4.2.2 and 3.5.2). One parser reads both: a path may have a filter in it.
 */

/** An attribute, as a schema spells it, and its part, such as `name.givenName`. */
export interface AttributePath {
  /** Null for the core schema. */
  urn: string | null
  /** Null for a whole extension, or the whole user. */
  name: string | null
  part: string | null
}

/** What a patch changes. */
export interface TargetPath extends AttributePath {
  /** The entries of a list that it means; null for all. */
  filter: Filter | null
}

export const OPERATORS = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const
export type Operator = (typeof OPERATORS)[number]

export type FilterValue = string | number | boolean | null

export type Filter =
  | { kind: 'and' | 'or'; of: Filter[] }
  | { kind: 'not'; of: Filter }
  /** `folded` is the value in the form in which it is compared. */
  | { kind: 'compare'; path: AttributePath; operator: Operator; value: FilterValue; folded: string }
  | { kind: 'present'; path: AttributePath }
  /** Some entry of a list matches. */
  | { kind: 'entry'; path: AttributePath; of: Filter }

/** The longest path or filter, in UTF-16 units, how deep it may be, and what it may ask of each user. */
const MAX_CHARACTERS = 8_000
const MAX_LEVELS = 40
const MAX_COMPARISONS = 100
/** Those of a path: a patch may have many, each with a filter of every entry. */
const MAX_COMPARISONS_OF_PATH = 20

/** What is wrong with a path or filter, and at which of its characters, from 1. */
export class PathError extends Error {
  override name = 'PathError'
}

/** Reads a filter of users. Throws PathError, also for an attribute that no schema has. */
export function parseFilter(text: string): Filter {
  const source = open(text, false)
  const filter = readOr(source, 0, null)
  return end(source, filter)
}

/** Whether case matters in the values of an attribute. */
export function isCaseExact({ urn, name, part }: AttributePath) {
  return part === null && findAttribute(urn, name ?? '')?.attribute.isCaseExact === true
}

/** Reads the path of a patch, whose attributes may be in no schema. Throws PathError. */
export function parsePath(text: string): TargetPath {
  const trimmed = trimBlanks(text)
  if (isSchemaUrn(trimmed)) return { urn: spellUrn(trimmed), name: null, part: null, filter: null }
  const source = open(trimmed, true)
  const path = readAttribute(source)
  if (!take(source, '[')) return end(source, { ...path, filter: null })
  if (path.part !== null) throw fail(source, 'A filter must follow the name of a list')
  const filter = readOr(source, 1, path)
  expect(source, ']')
  if (!take(source, '.')) return end(source, { ...path, filter })
  const part = readWord(source)
  if (!NAME.test(part)) throw fail(source, 'Here must be the name of a part')
  return end(source, { ...path, part: spellPart(path, part), filter })
}

interface Source {
  text: string
  at: number
  comparisons: number
  /** Whether it may name attributes that no schema has. */
  takesUnknown: boolean
}

function open(text: string, takesUnknown: boolean): Source {
  if (text.length > MAX_CHARACTERS) throw new PathError(`It must have at most ${MAX_CHARACTERS} characters`)
  return { text, at: 0, comparisons: 0, takesUnknown }
}

function end<Read>(source: Source, read: Read) {
  skip(source)
  if (source.at < source.text.length) throw fail(source, 'Nothing may follow here')
  return read
}

function fail({ at }: Source, what: string) {
  return new PathError(`${what} (character ${at + 1})`)
}

function skip(source: Source) {
  while (source.text[source.at] === ' ') source.at += 1
}

function take(source: Source, sign: string) {
  skip(source)
  if (source.text[source.at] !== sign) return false
  source.at += 1
  return true
}

function expect(source: Source, sign: string) {
  if (!take(source, sign)) throw fail(source, `Here must be ${sign}`)
}

const WORD = /[^\s()[\]"]+/y

/** Reads what stands before a blank, a bracket or a quotation mark; empty if nothing does. */
function readWord(source: Source) {
  skip(source)
  WORD.lastIndex = source.at
  const [word = ''] = WORD.exec(source.text) ?? []
  source.at += word.length
  return word
}

function takeWord(source: Source, wanted: string) {
  const { at } = source
  if (isSameName(readWord(source), wanted)) return true
  source.at = at
  return false
}

/** `list` is the list whose entries the filter is about; null for users. */
function readOr(source: Source, level: number, list: AttributePath | null): Filter {
  return readSeveral(source, 'or', () => readSeveral(source, 'and', () => readOne(source, level, list)))
}

function readSeveral(source: Source, kind: 'and' | 'or', read: () => Filter) {
  const of = [read()]
  while (takeWord(source, kind)) of.push(read())
  return of.length === 1 ? of[0]! : { kind, of }
}

function readOne(source: Source, level: number, list: AttributePath | null): Filter {
  if (level > MAX_LEVELS) throw fail(source, `It must have at most ${MAX_LEVELS} levels`)
  if (takeWord(source, 'not')) {
    expect(source, '(')
    return { kind: 'not', of: readInParentheses(source, level, list) }
  }
  if (take(source, '(')) return readInParentheses(source, level, list)
  const path = list ? readPart(source, list) : assertKnown(source, readAttribute(source))
  if (!list && path.part === null && take(source, '[')) {
    const of = readOr(source, level + 1, path)
    expect(source, ']')
    if (!take(source, '.')) return { kind: 'entry', path, of }
    // Entra asks for the part of an entry: emails[type eq "work"].value eq "…".
    const compared = readComparison(source, readPart(source, path))
    return { kind: 'entry', path, of: { kind: 'and', of: [of, compared] } }
  }
  return readComparison(source, path)
}

function readComparison(source: Source, path: AttributePath): Filter {
  source.comparisons += 1
  const most = source.takesUnknown ? MAX_COMPARISONS_OF_PATH : MAX_COMPARISONS
  if (source.comparisons > most) throw fail(source, `It must have at most ${most} comparisons`)
  const word = readWord(source).toLowerCase()
  if (word === 'pr') return { kind: 'present', path }
  const operator = OPERATORS.find((name) => name === word)
  if (operator === undefined) throw fail(source, 'Here must be an operator, such as eq')
  if (ORDERS.has(operator) && isFlag(path)) throw fail(source, 'True and false have no order')
  const value = readValue(source)
  return { kind: 'compare', path, operator, value, folded: isCaseExact(path) ? String(value) : foldValue(value) }
}

const ORDERS: ReadonlySet<Operator> = new Set(['gt', 'ge', 'lt', 'le'])

function isFlag({ urn, name, part }: AttributePath) {
  const known = findAttribute(urn, name ?? '')?.attribute
  return (part === null ? known : known?.parts?.find((one) => one.name === part))?.type === 'boolean'
}

function readInParentheses(source: Source, level: number, list: AttributePath | null): Filter {
  const filter = readOr(source, level + 1, list)
  expect(source, ')')
  return filter
}

const NAME = /^(?:[a-z][a-z0-9_-]*|\$ref)$/i

/** Reads an attribute with its schema and its part, and spells them as the schema does. */
function readAttribute(source: Source): AttributePath {
  const { at } = source
  const word = readWord(source)
  const colon = findNameAfter(word)
  const [name = '', part = null, ...more] = word.slice(colon + 1).split('.')
  const isRead = NAME.test(name) && (part === null || NAME.test(part)) && more.length === 0
  if (!isRead || (colon >= 0 && !/^urn:/i.test(word))) {
    source.at = at
    throw fail(source, 'Here must be the name of an attribute')
  }
  const urn = colon < 0 ? null : spellUrn(word.slice(0, colon))
  const known = findAttribute(urn, name)
  const path = { urn, name: known?.name ?? name, part: null }
  return { ...path, part: part === null ? null : spellPart(path, part) }
}

/** Where the URN of a schema ends. Some clients set a dot behind it, as behind other names. */
function findNameAfter(word: string) {
  const known = Object.keys(SCHEMAS).find((urn) => isSameName(word.slice(0, urn.length + 1), `${urn}.`))
  return known?.length ?? word.lastIndexOf(':')
}

function readPart(source: Source, list: AttributePath) {
  const { part, name, urn } = readAttribute(source)
  if (part !== null || urn !== null || name === null) throw fail(source, 'Here must be the name of a part')
  return assertKnown(source, { urn: list.urn, name: list.name, part: spellPart(list, name) })
}

/** Spells the part of an attribute as its schema does. */
export function spellPart({ urn, name }: AttributePath, part: string) {
  const known = findAttribute(urn, name ?? '')?.attribute.parts ?? []
  return known.find((one) => isSameName(one.name, part))?.name ?? part
}

/** Another extension may have any attributes. */
function assertKnown(source: Source, path: AttributePath) {
  if (source.takesUnknown) return path
  const known = findAttribute(path.urn, path.name ?? '')
  const isOther = path.urn !== null && !Object.hasOwn(SCHEMAS, path.urn)
  const { parts } = known?.attribute ?? {}
  const hasPart = path.part === null || parts?.some(({ name }) => name === path.part) === true
  if (isOther || (known && hasPart)) return path
  throw fail(source, 'No schema has this attribute')
}

const JSON_TEXT = /"(?:[^"\\]|\\.)*"/sy

/** A bare word is a text: Microsoft's guide has `externalId eq jyoung`. */
function readValue(source: Source): FilterValue {
  skip(source)
  JSON_TEXT.lastIndex = source.at
  const [text] = JSON_TEXT.exec(source.text) ?? []
  if (text !== undefined) {
    const value = parseText(text)
    if (value === undefined) throw fail(source, 'The text is not one of JSON')
    source.at += text.length
    return value
  }
  const word = readWord(source)
  if (word === '') throw fail(source, 'Here must be a value')
  if (word.startsWith("'")) throw fail(source, 'A text must stand in double quotes')
  const lower = word.toLowerCase()
  if (lower === 'true' || lower === 'false') return lower === 'true'
  if (lower === 'null') return null
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(word) ? Number(word) : word
}

function parseText(text: string) {
  try {
    return JSON.parse(text) as string
  } catch {
    return undefined
  }
}
