import { foldUserName, listStoredAddresses } from '../attributes.ts'
import { NOBODY, union, type Naming } from '../calls/uniqueness.ts'
import { isId } from '../ids.ts'
import { normalizeEmail, normalizeText } from '#text/normalize-text'
import { isStorableText } from '../storable-text.ts'
import type { AttributePath, Filter } from './parse-path.ts'
import { isSameName } from './schemas.ts'

/** By what those who match a filter can be looked up. */
interface Pinned {
  names: Naming
  /** Whether nobody else can match. Others may have an address as another one than that of work. */
  isSure: boolean
}

/**
 * The names that whoever matches a filter has one of; null if the filter says none. By these, people are found as of the
 * last commit, because a provider that doesn't find somebody creates them again.
 */
export function pinnedNames(filter: Filter): Pinned | null {
  switch (filter.kind) {
    case 'compare':
      return filter.operator === 'eq' && filter.value !== null ? namesAt(filter.path, String(filter.value)) : null
    case 'entry': {
      const pinned = pinnedNames(filter.of)
      return pinned && { ...pinned, isSure: isOfWork(filter.of) }
    }
    case 'and': {
      const pinned = filter.of.map(pinnedNames).filter((one) => one !== null)
      return pinned.find(({ isSure }) => isSure) ?? pinned[0] ?? null
    }
    case 'or': {
      const all = filter.of.map(pinnedNames)
      if (!all.every((one) => one !== null)) return null
      return { names: union(all.map(({ names }) => names)), isSure: all.every(({ isSure }) => isSure) }
    }
    case 'not':
    case 'present':
      return null
  }
}

/** Whether a filter finds the entry of work alone. */
function isOfWork(filter: Filter) {
  if (filter.kind === 'and') return filter.of.some(isOfWork)
  if (filter.kind !== 'compare' || filter.operator !== 'eq') return false
  return filter.path.part === 'type' && isSameName(String(filter.value), 'work')
}

function namesAt({ urn, name, part }: AttributePath, text: string): Pinned | null {
  if (urn !== null) return null
  if (!isStorableText(text)) return { names: NOBODY, isSure: true }
  const employeeIds = isId('emp', text) ? [text] : []
  switch (name) {
    case 'id':
      return { names: { ...NOBODY, employeeIds }, isSure: true }
    case 'externalId':
      return { names: { ...NOBODY, directoryIds: [normalizeText(text)] }, isSure: true }
    case 'userName': {
      const [emails, externalIds] = [addressesOf(text), [normalizeText(text)]]
      // Who has no user name shows another name in its place.
      const names = { ...NOBODY, employeeIds, userNames: [foldUserName(normalizeText(text))], emails, externalIds }
      return { names, isSure: true }
    }
    case 'emails':
      if (part !== null && part !== 'value') return null
      return { names: { ...NOBODY, emails: addressesOf(text) }, isSure: false }
    case null:
    default:
      return null
  }
}

function addressesOf(text: string) {
  return listStoredAddresses(normalizeEmail(normalizeText(text)))
}
