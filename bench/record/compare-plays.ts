import type { DrawnCall } from './draw-calls.ts'
import { findDifferences, tellErrors, type Difference } from './find-differences.ts'
import { createNaming } from './name-generated.ts'
import type { Played } from './play-calls.ts'

/** All differences of a kind. */
export interface DifferenceKind {
  kind: string
  /** In which texts: answers, events, entries. */
  places: string[]
  count: number
  /** How many are in calls that name nobody whom an earlier call treated otherwise. */
  first: number
  example: Example
}

interface Example {
  company: number
  /** Null for what is in no call. */
  call: number | null
  request: DrawnCall | null
  before: unknown
  after: unknown
}

interface Line {
  envelope: string
  data: string | null
}

interface Envelope {
  call_id: string | null
  type: string
  position: number
}

/** What a version said of one call, or of what is in no call. */
interface Told {
  status: number
  code: string
  headers: string
  body: string
  /** `isTold` says whether the answer tells the event's position. */
  events: { type: string; envelope: string; data: string; isTold: boolean }[]
  entry: string
  records: string
}

/** Compares what two versions made of the calls of companies, and adds it to the kinds of differences. */
export class Comparison {
  readonly kinds = new Map<string, DifferenceKind>()
  /** How many calls had each outcome in the version after. */
  readonly outcomes = new Map<string, number>()
  calls = 0
  /** Calls that are equal to the byte in everything. */
  equal = 0

  add(company: number, calls: readonly DrawnCall[], before: Played, after: Played): void {
    const [was, is] = [tellPlayed(before), tellPlayed(after)]
    const others = new Set<string>()
    for (const [at, call] of calls.entries()) {
      const names = namesOf(call, at)
      const isFirst = !names.some((name) => others.has(name))
      const { differences, isOtherwise } = compareCalls(was.calls[at]!, is.calls[at]!)
      if (isOtherwise) for (const name of names) others.add(name)
      this.#count(differences, { company, call: at, request: call }, isFirst)
      const { status, code } = is.calls[at]!
      const outcome = `${status} ${code}`.trim()
      this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1)
      this.calls += 1
      if (differences.length === 0) this.equal += 1
    }
    const rest = [
      ...findDifferences('outside of calls', was.outside, is.outside),
      ...findDifferences('list of employees', was.employees, is.employees),
      ...findDifferences('verifying', verdict(before), verdict(after)),
    ]
    this.#count(rest, { company, call: null, request: null }, others.size === 0)
  }

  #count(differences: Difference[], at: Pick<Example, 'company' | 'call' | 'request'>, isFirst: boolean): void {
    for (const [kind, [difference, ...more]] of Map.groupBy(differences, (one) => one.kind)) {
      const { before, after } = difference!
      const known = this.kinds.get(kind)
      const places = new Set([...(known?.places ?? []), ...[difference!, ...more].map(({ place }) => place)])
      const { count = 0, first = 0 } = known ?? {}
      // An example that follows from no other difference says more.
      const example = !known || (isFirst && first === 0) ? { ...at, before, after } : known.example
      this.kinds.set(kind, { kind, places: [...places], count: count + 1, first: first + Number(isFirst), example })
    }
  }
}

function verdict({ verified }: Played): string {
  return JSON.stringify((JSON.parse(verified) as { verdict: string }).verdict)
}

/** Whom a call names, and that it may create somebody. */
function namesOf({ path, body }: DrawnCall, at: number): string[] {
  const names = `${path} ${body}`.match(/\{emp \d+ \d+\}|E-\d+|person\.\d+/g) ?? []
  return [`call ${at}`, ...names.map((name) => name.replace(/\{emp (\d+) \d+\}/, 'call $1').replace('person.', 'E-'))]
}

function compareCalls(was: Told, is: Told): { differences: Difference[]; isOtherwise: boolean } {
  if (was.status !== is.status || was.code !== is.code) {
    const kind = `${tellOutcome(was)} → ${tellOutcome(is)}`
    return { differences: [{ place: 'outcome', kind, before: was.body, after: is.body }], isOtherwise: true }
  }
  const answers = [
    ...findDifferences('answer, header', was.headers, is.headers),
    ...findDifferences('answer', was.body, is.body),
  ]
  const types = [was, is].map(({ events }) => events.map(({ type, isTold }) => `${type}${isTold ? ', told' : ''}`))
  const isOtherwise = types[0]!.join() !== types[1]!.join()
  const events = isOtherwise
    ? [{ place: 'events', kind: 'other types', before: types[0], after: types[1] }]
    : was.events.flatMap(({ type, envelope, data }, at) => [
        ...findDifferences(`${type}, envelope`, envelope, is.events[at]!.envelope),
        ...findDifferences(`${type}, data`, data, is.events[at]!.data),
      ])
  const log = [
    ...findDifferences('entry', was.entry, is.entry),
    ...findDifferences('records of the entry', was.records, is.records),
  ]
  return { differences: [...answers, ...events, ...log], isOtherwise }
}

function tellOutcome({ status, code, body }: Told): string {
  const { errors = [], detail = '' } = status < 400 ? {} : (JSON.parse(body) as { errors?: never[]; detail?: string })
  return `${status} ${code} ${errors.length > 0 ? tellErrors(errors).slice(0, 200) : detail.replace(/\d+/g, 'n')}`.trim()
}

/** Headers that say how a connection goes on, or when something was. */
const PASSING = ['date', 'connection', 'keep-alive', 'content-length', 'x-ledger-position', 'ratelimit']

/** All texts of a company with names for what was generated. */
function tellPlayed({ answers, events, entries, employees }: Played) {
  const name = createNaming()
  let left: number | undefined
  const told = answers.map(({ status, headers, text }, at): Told => {
    const leftNow = Number(/;r=(\d+)/.exec(String(headers['ratelimit']))?.[1] ?? left)
    const cost = left === undefined ? 0 : left - leftNow
    left = leftNow
    const kept = Object.entries(headers).filter(([header]) => !PASSING.includes(header))
    const body = name(text, `call ${at}`)
    const code = status < 400 ? '' : String((JSON.parse(text || '{}') as { code?: string }).code)
    const shown = name(JSON.stringify({ ...Object.fromEntries(kept), cost }), `headers of call ${at}`)
    return { status, code, body, headers: shown, events: [], entry: '', records: '' }
  })
  const callOf = new Map(
    answers.flatMap(({ logId, headers }, at) => (logId && !headers['idempotency-replayed'] ? [[logId, at]] : [])),
  )
  const outside: object[] = []
  for (const line of events) {
    const { envelope, data } = JSON.parse(line) as Line
    const { call_id: callId, type, position } = JSON.parse(envelope) as Envelope
    const at = callId === null ? undefined : callOf.get(callId)
    const place = at === undefined ? 'outside' : `events of call ${at}`
    const named = name(envelope.replace(`"position":${position},`, '"position":"-",'), place)
    const shown = { type, envelope: named, data: name(data ?? '', place) }
    if (at === undefined) outside.push(shown)
    else told[at]!.events.push({ ...shown, isTold: answers[at]!.headers['x-ledger-position'] === String(position) })
  }
  for (const [logId, { entry, records }] of entries) {
    const at = callOf.get(logId)
    if (at === undefined) continue
    told[at]!.entry = name(entry, `entry of call ${at}`)
    told[at]!.records = name(records, `records of call ${at}`)
  }
  return { calls: told, outside: JSON.stringify(outside), employees: name(employees, 'list') }
}
