import type { SeededRandom } from '../../../src/cli/demo/seeded-random.ts'
import type { KeyCall, Limits, ModelCall, Sent, Value } from './model.ts'

/* Random calls about few people with few names, so that they collide, link, and undo one another. */

/** The keys of a company. */
export const KEY_LIMITS: readonly Limits[] = [
  { max_deactivations: null, max_changes: null },
  { max_deactivations: 3, max_changes: null },
  { max_deactivations: '30%', max_changes: 40 },
]

/** What somebody asks for: a call, or a change beside the calls. */
export type Step =
  | { kind: 'call'; call: ModelCall }
  | { kind: 'allow'; key: number; max_deactivations: number; max_changes: number }
  | { kind: 'erase'; id: string }

/** The ids that answers have told so far. */
export interface Learned {
  people: string[]
  entries: string[]
}

const EMAILS = 14
const EXTERNAL_IDS = 10
const TOO_LONG = 'x'.repeat(121)
/** Half of the undos take back one of the newest entries. */
const NEWEST = 3

export function drawStep(random: SeededRandom, { people, entries }: Learned): Step {
  const dice = random.below(100)
  const isPartial = random.chance(0.5)
  if (dice < 3)
    return {
      kind: 'allow',
      key: 1 + random.below(KEY_LIMITS.length - 1),
      max_deactivations: random.below(6),
      max_changes: random.below(20),
    }
  if (dice < 4 && people.length > 8) return { kind: 'erase', id: random.pick(people) }
  if (dice < 34 && entries.length > 0) {
    const undone = random.pick(random.chance(0.5) ? entries.slice(-NEWEST) : entries)
    return { kind: 'call', call: { kind: 'undo', undone, isPartial } }
  }
  const key = random.below(KEY_LIMITS.length)
  const make = (kind: KeyCall['kind'], records: Sent[]): Step => ({
    kind: 'call',
    call: { kind, key, records, isPartial, linksByEmail: kind === 'upsert' && random.chance(0.5) },
  })
  const some = (most: number, draw: () => Sent) => Array.from({ length: 1 + random.below(most) }, draw)
  if (dice < 48 || people.length < 4)
    return make(
      'create',
      some(2, () => drawNew(random, people)),
    )
  if (dice < 70)
    return make(
      'upsert',
      some(3, () => drawUpsert(random, people)),
    )
  const about = () => (random.chance(0.05) ? [random.pick(people)] : [])
  const ids = [...random.sample(people, 1 + random.below(4)), ...about()]
  return make(
    'update',
    ids.map((id) => ({ ...drawPatch(random, people), id })),
  )
}

const emailOf = (random: SeededRandom) => `person.${random.below(EMAILS)}@example.com`
const externalIdOf = (random: SeededRandom) => `E-${random.below(EXTERNAL_IDS)}`

/** People need an email address or an external id. */
function drawNew(random: SeededRandom, people: readonly string[]): Sent {
  const names = random.pick<Sent>([
    { email: emailOf(random) },
    { email: emailOf(random) },
    { external_id: externalIdOf(random) },
    { email: emailOf(random), external_id: externalIdOf(random) },
  ])
  return { ...drawAttributes(random, people, 0.3), ...names }
}

function drawUpsert(random: SeededRandom, people: readonly string[]): Sent {
  const names: Sent = random.chance(0.8) ? { external_id: externalIdOf(random) } : {}
  const needsEmail = names.external_id === undefined || random.chance(0.7)
  return { ...drawAttributes(random, people, 0.4), ...names, ...(needsEmail ? { email: emailOf(random) } : {}) }
}

function drawPatch(random: SeededRandom, people: readonly string[]): Sent {
  return {
    ...drawAttributes(random, people, 0.4),
    ...(random.chance(0.1) ? { 'custom_attributes.grade': null } : {}),
    ...(random.chance(0.3) ? { email: random.chance(0.2) ? null : emailOf(random) } : {}),
    ...(random.chance(0.2) ? { external_id: random.chance(0.2) ? null : externalIdOf(random) } : {}),
  }
}

function drawAttributes(random: SeededRandom, people: readonly string[], chance: number): Sent {
  const attributes: Record<string, Value> = {}
  const maybe = (name: string, draw: () => Value) => {
    if (random.chance(chance)) attributes[name] = draw()
  }
  maybe('job_title', () => (random.chance(0.05) ? TOO_LONG : random.pick(['Dev', 'Lead', 'Boss', null])))
  maybe('custom_attributes.grade', () => random.pick([1, 2]))
  maybe('manager_id', () => (people.length > 0 && random.chance(0.8) ? random.pick(people) : null))
  maybe('status', () => random.pick(['active', 'active', 'inactive']))
  return attributes
}

/** A record as JSON. */
export function toBody({ 'custom_attributes.grade': grade, ...record }: Sent, kind: KeyCall['kind']): object {
  const custom = grade === undefined ? {} : { custom_attributes: { grade } }
  return { ...record, ...custom, ...(kind === 'update' ? {} : { first_name: 'Ana' }) }
}
