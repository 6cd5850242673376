import { foldUserName } from '../attributes.ts'
import { NOBODY, union, type Naming } from '../calls/touched-values.ts'
import { listStoredAddresses } from '../email-domains.ts'
import { isId } from '../ids.ts'
import { normalizeEmail, normalizeText } from '../../text/normalize-text.ts'
import { isStorableText } from '../storable-text.ts'
import type { AttributePath, Filter } from './parse-path.ts'

/**
 * The names that whoever matches a filter has one of; null if the filter says none. By these, people are found as of the
 * last commit, because a provider that doesn't find somebody creates them again. E-mails are those of work.
 */
export function pinnedNames(filter: Filter): Naming | null {
  switch (filter.kind) {
    case 'compare':
      return filter.operator === 'eq' && filter.value !== null ? namesAt(filter.path, String(filter.value)) : null
    case 'entry':
      return pinnedNames(filter.of)
    case 'and':
      return filter.of.map(pinnedNames).find((names) => names !== null) ?? null
    case 'or': {
      const all = filter.of.map(pinnedNames)
      return all.every((names) => names !== null) ? union(all) : null
    }
    case 'not':
    case 'present':
      return null
  }
}

function namesAt({ urn, name, part }: AttributePath, text: string): Naming | null {
  if (urn !== null) return null
  if (!isStorableText(text)) return NOBODY
  const employeeIds = isId('emp', text) ? [text] : []
  switch (name) {
    case 'id':
      return { ...NOBODY, employeeIds }
    case 'externalId':
      return { ...NOBODY, directoryIds: [normalizeText(text)] }
    case 'userName':
      // Who has no user name shows another name in its place.
      return {
        ...NOBODY,
        employeeIds,
        userNames: [foldUserName(normalizeText(text))],
        emails: addressesOf(text),
        externalIds: [normalizeText(text)],
      }
    case 'emails':
      return part === null || part === 'value' ? { ...NOBODY, emails: addressesOf(text) } : null
    case null:
    default:
      return null
  }
}

function addressesOf(text: string): string[] {
  return listStoredAddresses(normalizeEmail(normalizeText(text)))
}
