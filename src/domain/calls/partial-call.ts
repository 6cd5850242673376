import type { Pieces } from '../pieces.ts'
import type { Draft, UnchangedEmployee } from './call-draft.ts'
import type { Need, ReadRecord } from './call-records.ts'

/** The employees about whom records are known to change nothing. */
export type Unchanged = ReadonlyMap<ReadRecord, UnchangedEmployee>

/** Records as they would be decided if the call had no others. */
export interface Judged {
  drafts: Draft[]
  unchanged: Unchanged
}

export type JudgeRecords = (records: ReadRecord[]) => Pieces<Judged>

export function isFaulty({ errors }: Draft): boolean {
  return errors.count > 0
}

/** Whether a record is faulty whatever the others are. */
function isFaultyAlone({ errors, collisions }: Draft): boolean {
  return errors.count > collisions
}

/**
 * How often the rest of a call is judged again after records were refused. Who reports to whom may be wrong once more
 * each time; after so many, the rest of the records that set a manager are refused.
 */
const MAX_ROUNDS = 8

const TOO_MANY_ROUNDS =
  'Too many records of the call are refused to tell whether this manager would report to this employee; send it again without them'

/**
 * Chooses the records of a call that can be applied without the others, whatever their order. In each round, first the
 * records that are faulty alone are refused, or else those that collide, with all that need them. `whole` is the whole
 * call. `applied` is null if none is left.
 */
export function* chooseApplicable(
  records: ReadRecord[],
  whole: Judged,
  judge: JudgeRecords,
): Pieces<{ applied: Judged | null; refused: Draft[] }> {
  const refused = new Map<number, Draft>()
  let rest = records
  let judged = whole
  for (let round = 0; ; round += 1) {
    const alone = judged.drafts.filter(isFaultyAlone)
    const faulty = alone.length > 0 ? alone : judged.drafts.filter(isFaulty)
    if (faulty.length === 0) return { applied: judged, refused: inOrder(refused) }
    refuse(judged.drafts, faulty, refused)
    if (round === MAX_ROUNDS) {
      const managed = judged.drafts.filter(({ record }) => record.managers.length > 0 && !refused.has(record.index))
      for (const { record, errors } of managed)
        errors.add([record.managers[0]!.field], 'invalid_value', TOO_MANY_ROUNDS)
      refuse(judged.drafts, managed, refused)
    }
    rest = rest.filter(({ index }) => !refused.has(index))
    if (rest.length === 0) return { applied: null, refused: inOrder(refused) }
    judged = yield* judge(rest)
  }
}

/** Refuses drafts and, among all of these, those that need them. */
function refuse(drafts: readonly Draft[], faulty: readonly Draft[], refused: Map<number, Draft>): void {
  const needing = new Map<number, Draft[]>()
  for (const draft of drafts) {
    for (const index of draft.needs.flatMap(({ anyOf }) => anyOf)) {
      const others = needing.get(index)
      if (others) others.push(draft)
      else needing.set(index, [draft])
    }
  }
  const isUnmet = ({ anyOf }: Need) => anyOf.every((index) => refused.has(index))
  const next = [...faulty]
  for (const draft of faulty) refused.set(draft.record.index, draft)
  for (let one = next.pop(); one; one = next.pop()) {
    for (const draft of needing.get(one.record.index) ?? []) {
      if (refused.has(draft.record.index) || !draft.needs.some(isUnmet)) continue
      refused.set(draft.record.index, draft)
      next.push(draft)
    }
  }
  // Each names all that it needs, so that the order doesn't matter. Drafts of the whole call stay as they are.
  for (const [at, draft] of refused) {
    if (isFaulty(draft)) continue
    const errors = draft.errors.copy()
    refused.set(at, { ...draft, errors })
    for (const { anyOf, field, code } of draft.needs.filter(isUnmet))
      errors.add([field], code, `Record ${anyOf[0]} of the call, which this one needs, is refused`)
  }
}

function inOrder(refused: ReadonlyMap<number, Draft>): Draft[] {
  return [...refused.values()].toSorted((one, other) => one.record.index - other.record.index)
}
