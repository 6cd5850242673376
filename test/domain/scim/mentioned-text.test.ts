import t from 'tap'
import { mentionedText } from '../../../src/domain/scim/mentioned-text.ts'
import { parseFilter } from '../../../src/domain/scim/parse-path.ts'

/* What everybody who matches a filter has in their attributes, so that the others need not be compared. */

const MENTIONED: [filter: string, text: string | null][] = [
  ['title eq "Potter"', 'potter'],
  ['emails.value co "@Kite"', '@kite'],
  ['emails[type eq "home" and value ew ".example"]', '.example'],
  ['active eq true and name.familyName sw "Or"', 'or'],
  ['title eq "Potter" or title eq "Cook"', null],
  ['not (title eq "Potter")', null],
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
for (const [filter, text] of MENTIONED)
  await t.test(`of ${filter}`, async (t) => t.equal(mentionedText(parseFilter(filter)), text))
