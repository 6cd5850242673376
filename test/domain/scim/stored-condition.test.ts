import t from 'tap'
import { parseFilter } from '../../../src/domain/scim/parse-path.ts'
import { findStoredCondition } from '../../../src/domain/scim/stored-condition.ts'

/* What the rows of those who match a filter tell, so that the others need not be compared. */

const mentions = (text: string) => ({ kind: 'mentions', text })
const of = (kind: 'and' | 'or', ...conditions: object[]) => ({ kind, of: conditions })
const active = { kind: 'status', status: 'active' }
const since = { kind: 'time', of: 'updated_at', operator: 'gt', ms: Date.UTC(2026, 0, 2) }

const TOLD: [filter: string, condition: object | null, isExact?: true][] = [
  ['title eq "Potter"', mentions('potter')],
  ['emails.value co "@Kite"', mentions('@kite')],
  ['emails[type eq "home" and value ew ".example"]', of('and', mentions('.example'))],
  ['active eq true', active, true],
  ['active ne "False"', active, true],
  ['not (active eq false)', { kind: 'not', of: { kind: 'status', status: 'inactive' } }, true],
  ['meta.lastModified gt "2026-01-02T00:00:00Z"', since, true],
  ['meta.lastModified gt "2026-01-02T01:00:00+01:00" and active eq true', of('and', since, active), true],
  ['active eq true and name.familyName sw "Or"', of('and', active, mentions('or'))],
  ['active eq true or title pr', null],
  ['title eq "Potter" or title eq "Cook"', of('or', mentions('potter'), mentions('cook'))],
  ['not (title eq "Potter")', null],
  ['active eq "yes"', null],
  ['meta.lastModified gt "2026"', null],
  ['meta.lastModified eq "2026-01-02T00:00:00Z"', null],
  ['title ne "Potter"', null],
  ['title gt "Potter"', null],
  ['title pr', null],
  ['title eq "Töpfer"', null],
  [String.raw`title eq "a\"b"`, null],
  ['title eq "7"', null],
  ['emails.type eq "work"', null],
  ['userName sw "emp_"', null],
  ['meta.resourceType eq "User"', null],
]
for (const [filter, condition, isExact = false] of TOLD)
  await t.test(`of ${filter}`, async (t) =>
    t.same(findStoredCondition(parseFilter(filter)), condition && { condition, isExact }),
  )
