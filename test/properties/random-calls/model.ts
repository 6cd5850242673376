/*
 * What a company does with calls, written from the documentation alone: nothing of it is the program's. It is told the
 * calls in the order of the ledger, one after the other, and says what each of them changes.
 */

export type Name = 'email' | 'external_id' | 'job_title' | 'custom_attributes.grade' | 'manager_id' | 'status'
export type Value = string | number | null
type Values = Record<Name, Value>

/** A record as it is sent, with flat names. `id` is whom an update is about. */
export type Sent = Partial<Values> & { id?: string }

export interface KeyCall {
  kind: 'create' | 'update' | 'upsert'
  /** The number of the key in the company. */
  key: number
  records: Sent[]
  isPartial: boolean
  linksByEmail: boolean
}

export interface UndoCall {
  kind: 'undo'
  /** The entry that it takes back. */
  undone: string
  isPartial: boolean
}

export type ModelCall = KeyCall | UndoCall

/** How many people a key may deactivate, and change, in a day: a number, or a share in percent. */
export interface Limits {
  max_deactivations: number | `${number}%` | null
  max_changes: number | `${number}%` | null
}

type Numbers = Record<keyof Limits, number>

/** What becomes of a record. */
export interface Outcome {
  id: string | null
  result: 'created' | 'deactivated' | 'reactivated' | 'synced' | 'no_updates' | 'failed'
  /** The changes, or what a creation sets. */
  changes: Map<Name, { from: Value; to: Value }>
  /** What an undo leaves as it is. */
  left: Name[]
}

/** What a call comes to. */
export interface Decided {
  /** Null if the call is completed. */
  refusal: { status: number; code: string } | null
  counts: { total: number; updated: number; deactivated: number; failed: number; no_updates: number }
  /** Of each record; empty if the call is refused. */
  outcomes: Outcome[]
}

interface Person {
  id: string
  values: Values
  /** The entry that changed anything about them last. */
  touchedBy: string
}

interface Key {
  limits: Limits
  day: string
  done: Numbers
  active: { count: number; at: number } | null
  allowed: { until: string; numbers: Numbers; used: Numbers } | null
}

/** What a record does, as far as it is judged. */
interface Judged {
  index: number
  person: Person | null
  after: Values
  left: Name[]
  /** What is wrong with it whatever the other records are, and what is only beside them. */
  alone: Fault[]
  colliding: Fault[]
}

interface Fault {
  name: Name | 'id'
  code: string
}

const UNSET: Values = {
  email: null,
  external_id: null,
  job_title: null,
  'custom_attributes.grade': null,
  manager_id: null,
  status: 'active',
}
const NAMES = Object.keys(UNSET) as Name[]
const UNIQUE = ['email', 'external_id'] as const
const CONFLICTS = ['already_exists', 'inactive_employee_exists']
const MOST_JOB_TITLE = 120
/** A call is refused by a count of the active people that is at most so old. */
const COUNTED_FOR_MS = 60_000

export class CompanyModel {
  readonly people = new Map<string, Person>()
  readonly #entries = new Map<string, Outcome[]>()
  readonly #keys: Key[]

  constructor(limits: readonly Limits[]) {
    this.#keys = limits.map((one) => ({ limits: one, day: '', done: zero(), active: null, allowed: null }))
  }

  /** Makes a call. `newIds` are the ids of those whom it may create, by record; `at` is its time. */
  call(call: ModelCall, logId: string, newIds: ReadonlyMap<number, string>, at: string): Decided {
    const decided = this.#limit(call, this.#decide(call), at)
    if (decided.refusal) return decided
    for (const [index, { id, changes, result }] of decided.outcomes.entries()) {
      if (changes.size === 0) continue
      const person = result === 'created' ? this.#create(newIds.get(index)!) : this.people.get(id!)!
      for (const [name, { to }] of changes) person.values[name] = to
      person.touchedBy = logId
      decided.outcomes[index]!.id = person.id
    }
    this.#entries.set(logId, decided.outcomes)
    return decided
  }

  /** Whether an entry changed anybody. */
  hasChanged(logId: string): boolean {
    return (this.#entries.get(logId) ?? []).some(({ changes }) => changes.size > 0)
  }

  /** Lets a key go beyond its limits, once. */
  allow(key: number, numbers: Numbers, until: string): void {
    this.#keys[key]!.allowed = { until, numbers, used: zero() }
  }

  erase(id: string): void {
    this.people.delete(id)
  }

  #create(id: string): Person {
    const person = { id, values: { ...UNSET }, touchedBy: '' }
    this.people.set(id, person)
    return person
  }

  #decide(call: ModelCall): Decided {
    const drafts =
      call.kind === 'undo' ? this.#planUndo(call) : call.records.map((one, at) => this.#draft(call, one, at))
    const leavesOut = call.kind === 'undo' && call.isPartial
    if (leavesOut) this.#leaveOut(drafts)
    const whole = this.#judge(drafts)
    const isWhole = whole.every((one) => faultsOf(one).length === 0)
    const applied = isWhole || !call.isPartial ? whole : this.#chooseApplicable(drafts)
    if (isWhole || (call.isPartial && applied.length > 0)) return complete(call, whole, applied)
    const faults = whole.flatMap(faultsOf)
    const isConflict = faults.every(({ code }) => CONFLICTS.includes(code))
    const code = CONFLICTS.find((one) => faults.some((fault) => fault.code === one))
    const failed = call.kind === 'create' ? whole.filter((one) => faultsOf(one).length > 0).length : whole.length
    return refuse(isConflict ? { status: 409, code: code! } : { status: 422, code: 'validation_failed' }, whole, failed)
  }

  /** Reads a record of a key. */
  #draft({ kind, linksByEmail }: KeyCall, { id, ...sent }: Sent, index: number): Judged {
    const find = (name: Name, value: Value | undefined) =>
      value === undefined || value === null ? null : this.#holderOf(name, value)
    const byEmail = find('email', sent.email)
    const isLinkable = byEmail?.values.status === 'active' && byEmail.values.external_id === null
    const ofUpsert = sent.external_id === undefined ? byEmail : find('external_id', sent.external_id)
    const linked = linksByEmail && sent.external_id !== undefined && isLinkable ? byEmail : null
    const found = { create: null, update: this.people.get(id ?? '') ?? null, upsert: ofUpsert ?? linked }
    const person = found[kind]
    const alone: Fault[] = []
    if (kind === 'update' && !person) alone.push({ name: 'id', code: 'employee_not_found' })
    if (typeof sent.job_title === 'string' && sent.job_title.length > MOST_JOB_TITLE)
      alone.push({ name: 'job_title', code: 'too_long' })
    return { index, person, after: { ...(person?.values ?? UNSET), ...sent }, left: [], alone, colliding: [] }
  }

  /** Every attribute that has the value which the entry gave it gets the old one. */
  #planUndo({ undone }: UndoCall): Judged[] {
    const changed = (this.#entries.get(undone) ?? []).filter(({ changes }) => changes.size > 0)
    return changed.map(({ id, changes, result }, index) => {
      const person = this.people.get(id!) ?? null
      const draft: Judged = { index, person, after: { ...UNSET }, left: [], alone: [], colliding: [] }
      if (!person) return { ...draft, alone: [{ name: 'id', code: 'employee_not_found' }] }
      draft.after = { ...person.values }
      const wanted: [Name, { from: Value; to: Value }][] =
        result === 'created' ? [['status', { from: 'inactive', to: 'active' }]] : [...changes]
      for (const [name, { from, to }] of wanted) {
        const now = person.values[name]
        const isOwn = result === 'created' ? person.touchedBy === undone : now === to
        if (now === from) continue
        if (isOwn) draft.after[name] = from
        else draft.left.push(name)
      }
      if (draft.left.length > 0) draft.alone.push(...draft.left.map((name) => ({ name, code: 'changed' })))
      return draft
    })
  }

  /** What the rules forbid stays, too, and then perhaps more because of that. */
  #leaveOut(drafts: Judged[]): void {
    for (const draft of drafts) if (draft.person) draft.alone = []
    for (;;) {
      const faulty = this.#judge(drafts).filter((one) => one.person && faultsOf(one).length > 0)
      if (faulty.length === 0) return
      for (const { index, person, ...one } of faulty)
        for (const { name } of faultsOf({ index, person, ...one })) {
          const draft = drafts[index]!
          if (name === 'id' || draft.left.includes(name)) continue
          draft.after[name] = person!.values[name]
          draft.left.push(name)
        }
    }
  }

  /** First those that are wrong alone are refused, and then those that collide, until the rest is right. */
  #chooseApplicable(drafts: readonly Judged[]): Judged[] {
    let rest = this.#judge(drafts)
    for (;;) {
      const alone = rest.filter((one) => one.alone.length > 0)
      const refused = alone.length > 0 ? alone : rest.filter((one) => one.colliding.length > 0)
      if (refused.length === 0) return rest
      const kept = new Set(rest.filter((one) => !refused.includes(one)).map(({ index }) => index))
      rest = this.#judge(drafts.filter(({ index }) => kept.has(index)))
    }
  }

  /** Says what is wrong with these records, judged on the state after all of them. */
  #judge(drafts: readonly Judged[]): Judged[] {
    const judged = drafts.map((draft) => ({ ...draft, alone: [...draft.alone], colliding: [] as Fault[] }))
    const known = judged.filter(({ person, alone }) => person || !alone.some(({ name }) => name === 'id'))
    for (const one of known) {
      const same = known.filter(({ person }) => person && person === one.person)
      if (same.length > 1) one.colliding.push({ name: 'id', code: 'duplicate_in_batch' })
      for (const name of UNIQUE) this.#judgeUnique(one, name, known)
      if (UNIQUE.every((name) => one.after[name] === null)) {
        const name = UNIQUE.find((other) => isChanged(one, other)) ?? 'email'
        one.alone.push({ name, code: 'required' })
      }
      this.#judgeManager(one, known)
    }
    return judged
  }

  #judgeUnique(one: Judged, name: (typeof UNIQUE)[number], all: readonly Judged[]): void {
    const value = one.after[name]
    if (value === null || !isChanged(one, name)) return
    const claiming = all.filter((other) => other.after[name] === value && isChanged(other, name))
    if (claiming.length > 1) one.colliding.push({ name, code: 'duplicate_in_batch' })
    const holder = this.#holderOf(name, value)
    if (!holder || holder === one.person) return
    const ofHolder = all.filter(({ person }) => person === holder)
    if (ofHolder.some(({ after }) => after[name] !== value)) return
    const status = ofHolder.length === 1 ? ofHolder[0]!.after.status : holder.values.status
    one.alone.push({ name, code: status === 'active' ? 'already_exists' : 'inactive_employee_exists' })
  }

  #judgeManager(one: Judged, all: readonly Judged[]): void {
    const manager = one.after.manager_id
    if (typeof manager !== 'string' || !isChanged(one, 'manager_id')) return
    if (!this.people.has(manager)) return void one.alone.push({ name: 'manager_id', code: 'manager_not_found' })
    if (manager === one.person?.id) return void one.alone.push({ name: 'manager_id', code: 'manager_cycle' })
    const managerOf = (id: string) => {
      const own = all.filter(({ person }) => person?.id === id)
      return own.length === 1 ? own[0]!.after.manager_id : this.people.get(id)?.values.manager_id
    }
    const seen = new Set<Value>()
    for (let above: Value | undefined = manager; typeof above === 'string' && !seen.has(above);) {
      if (above === one.person?.id) return void one.colliding.push({ name: 'manager_id', code: 'manager_cycle' })
      seen.add(above)
      above = managerOf(above)
    }
  }

  #holderOf(name: Name, value: Value): Person | null {
    return [...this.people.values()].find(({ values }) => values[name] === value) ?? null
  }

  /** Refuses a call that goes beyond what its key may do in a day. */
  #limit(call: ModelCall, decided: Decided, at: string): Decided {
    if (call.kind === 'undo' || decided.refusal) return decided
    const key = this.#keys[call.key]!
    const { counts } = decided
    const wanted: Numbers = {
      max_deactivations: counts.deactivated,
      max_changes: counts.updated + counts.deactivated,
    }
    if (wanted.max_changes === 0) return decided
    if (key.day !== at.slice(0, 10)) Object.assign(key, { day: at.slice(0, 10), done: zero(), active: null })
    const count = () => [...this.people.values()].filter(({ values }) => values.status === 'active').length
    const excess = key.allowed && at < key.allowed.until ? key.allowed : null
    const isBeyond = (name: keyof Limits) => {
      const limit = key.limits[name]
      if (limit === null || wanted[name] === 0) return false
      if (typeof limit === 'string') key.active ??= { count: count(), at: Date.parse(at) }
      const most =
        typeof limit === 'number' ? limit : Math.floor((Number.parseInt(limit, 10) * key.active!.count) / 100)
      const isAllowed = excess !== null && excess.used[name] + wanted[name] <= excess.numbers[name]
      return key.done[name] + wanted[name] > most && !isAllowed
    }
    const isRefused = () => isBeyond('max_deactivations') || isBeyond('max_changes')
    if (isRefused() && Date.parse(at) - (key.active?.at ?? 0) > COUNTED_FOR_MS)
      key.active = { count: count(), at: Date.parse(at) }
    if (isRefused()) return refuse({ status: 409, code: 'limit_reached' }, call.records, call.records.length)
    for (const name of ['max_deactivations', 'max_changes'] as const) {
      key.done[name] += wanted[name]
      if (excess) excess.used[name] += wanted[name]
    }
    return decided
  }
}

function zero(): Numbers {
  return { max_deactivations: 0, max_changes: 0 }
}

function faultsOf({ alone, colliding }: Judged): Fault[] {
  return [...alone, ...colliding]
}

function isChanged({ person, after }: Judged, name: Name): boolean {
  return after[name] !== (person?.values[name] ?? UNSET[name]) || (!person && name === 'status')
}

function refuse(refusal: Decided['refusal'], records: readonly unknown[], failed: number): Decided {
  const counts = { total: records.length, updated: 0, deactivated: 0, failed, no_updates: 0 }
  return { refusal, counts, outcomes: [] }
}

function complete({ kind }: ModelCall, whole: readonly Judged[], applied: readonly Judged[]): Decided {
  const outcomes = whole.map(({ index, person }): Outcome => {
    const one = applied.find((other) => other.index === index)
    if (!one) return { id: person?.id ?? null, result: 'failed', changes: new Map(), left: [] }
    const changed = NAMES.filter((name) => isChanged(one, name))
    const from = (name: Name) => person?.values[name] ?? null
    const changes = new Map(changed.map((name) => [name, { from: from(name), to: one.after[name] }]))
    return { id: person?.id ?? null, result: resultOf(one, changes), changes, left: one.left }
  })
  const having = (...results: Outcome['result'][]) => outcomes.filter(({ result }) => results.includes(result)).length
  const counts = {
    total: whole.length,
    updated: having('synced', 'reactivated'),
    deactivated: having('deactivated'),
    failed: having('failed'),
    no_updates: having('no_updates'),
  }
  if (kind === 'create' && counts.updated > 0) throw new Error('a creation updates nobody')
  return { refusal: null, counts, outcomes }
}

function resultOf({ person }: Judged, changes: Outcome['changes']): Outcome['result'] {
  if (!person) return 'created'
  const status = changes.get('status')?.to
  if (status === undefined) return changes.size > 0 ? 'synced' : 'no_updates'
  return status === 'inactive' ? 'deactivated' : 'reactivated'
}
