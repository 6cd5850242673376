import { pauseAfter, type Pieces } from '../pieces.ts'
import type { Draft } from './call-draft.ts'
import { hasNewManager } from './reporting-lines.ts'
import type { Need, ReadRecord } from './call-records.ts'

/** Judges records as if the call had no others. */
type JudgeRecords = (records: ReadRecord[]) => Pieces<Draft[]>

export function isFaulty({ errors }: Draft): boolean {
  return errors.count > 0
}

/** Whether a record is faulty whatever the others are. */
function isFaultyAlone({ errors, collisions }: Draft): boolean {
  return errors.count > collisions
}

/**
 * The records that are judged again after others were refused, in all rounds of a call together, and the rounds of any
 * call. Who reports to whom may be wrong once more each time, down a whole line; beyond both, the rest of the records that
 * set another manager are refused.
 */
const MAX_JUDGED = 32_768
const MIN_ROUNDS = 8

/**
 * Chooses the records of a call that can be applied without the others, whatever their order. In each round, first the
 * records that are faulty alone are refused, or else those that collide, with all that need them. `whole` are the drafts
 * of the whole call.
 */
export function* chooseApplicable(
  records: ReadRecord[],
  whole: Draft[],
  judge: JudgeRecords,
): Pieces<{ drafts: Draft[]; refused: Draft[] }> {
  const refused = new Map<number, Draft>()
  let rest = records
  let drafts = whole
  let judged = 0
  for (let round = 0; ; round += 1) {
    yield* pauseAfter(records)
    const alone = drafts.filter(isFaultyAlone)
    const faulty = alone.length > 0 ? alone : drafts.filter(isFaulty)
    if (faulty.length === 0) return { drafts, refused: inOrder(refused) }
    const isLast = round >= MIN_ROUNDS && judged >= MAX_JUDGED
    refuse(drafts, isLast ? [...faulty, ...refuseManagers(drafts)] : faulty, refused)
    yield* pauseAfter(records)
    rest = rest.filter(({ index }) => !refused.has(index))
    judged += rest.length
    drafts = yield* judge(rest)
  }
}

/** Adds an error to those that set another manager and have none. Returns them. */
function refuseManagers(drafts: readonly Draft[]): Draft[] {
  const managed = drafts.filter((draft) => hasNewManager(draft) && !isFaulty(draft))
  for (const { record, errors } of managed)
    errors.add([record.managers[0]?.field ?? 'manager_id'], { kind: 'too_many_rounds' })
  return managed
}

/** Records of which one must be applied, and the drafts that need it. Many drafts may share it. */
interface Support {
  /** How many of the records are not refused. */
  left: number
  dependents: Draft[]
}

/** Refuses drafts and, among all of these, those that need them. Looks at each need once, however many share a name. */
function refuse(drafts: readonly Draft[], faulty: readonly Draft[], refused: Map<number, Draft>): void {
  const supports = new Map<Need['anyOf'], Support>()
  const ofRecord = new Map<number, Support[]>()
  const supportOf = (anyOf: Need['anyOf']): Support => {
    const known = supports.get(anyOf)
    if (known) return known
    const support: Support = { left: anyOf.length, dependents: [] }
    supports.set(anyOf, support)
    for (const index of anyOf) {
      const ofThis = ofRecord.get(index)
      if (ofThis) ofThis.push(support)
      else ofRecord.set(index, [support])
    }
    return support
  }
  for (const draft of drafts) for (const { anyOf } of draft.needs) supportOf(anyOf).dependents.push(draft)
  const next: Draft[] = []
  const add = (draft: Draft) => {
    if (refused.has(draft.record.index)) return
    refused.set(draft.record.index, draft)
    next.push(draft)
  }
  for (const draft of faulty) add(draft)
  for (let one = next.pop(); one; one = next.pop()) {
    for (const support of ofRecord.get(one.record.index) ?? []) {
      support.left -= 1
      if (support.left === 0) for (const draft of support.dependents) add(draft)
    }
  }
  // Each names all that it needs, so that the order doesn't matter. Drafts of the whole call stay as they are.
  for (const [at, draft] of refused) {
    if (isFaulty(draft)) continue
    const errors = draft.errors.copy()
    refused.set(at, { ...draft, errors })
    for (const { anyOf, field, kind } of draft.needs)
      if (supports.get(anyOf)!.left === 0) errors.add([field], { kind, field, record: anyOf[0]! })
  }
}

function inOrder(refused: ReadonlyMap<number, Draft>): Draft[] {
  return [...refused.values()].toSorted((one, other) => one.record.index - other.record.index)
}
