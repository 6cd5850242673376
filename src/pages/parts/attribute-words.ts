import { isId } from '#domain/ids'
import { CUSTOM_PREFIX } from '#domain/employees/employee'
import { ATTRIBUTE_NAMES } from '#domain/attributes'
import { html, type Html } from './html.ts'
import { renderBreakable } from './shown-values.ts'

const SPECIAL: Readonly<Record<string, string>> = {
  external_id: 'External ID',
  directory_external_id: 'Directory external ID',
  manager_id: 'Manager',
}

/** Formats the name of an attribute for people: `Job title`. Custom attributes keep the name that the company gave. */
export function formatAttributeName(name: string): string {
  if (name.startsWith(CUSTOM_PREFIX)) return name.slice(CUSTOM_PREFIX.length)
  return SPECIAL[name] ?? `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`
}

/** Renders the name of an attribute, with the one that programs use as its title. Keeps a name that nothing has. */
export function renderAttributeName(name: string): Html {
  const isKnown = name.startsWith(CUSTOM_PREFIX) || ATTRIBUTE_NAMES.some((known) => known === name)
  return html`<span title="${name}">${renderBreakable(isKnown ? formatAttributeName(name) : name)}</span>`
}

const MAX_CHARACTERS = 60

/** Renders a value in a line of text: short, isolated from the surrounding writing direction, managers by name. */
export function renderShortValue(value: unknown, names: ReadonlyMap<string, string>): Html {
  if (value === null || value === undefined) return html`<span class="hint">not set</span>`
  if (value === '') return html`<span class="hint">empty</span>`
  if (isId('emp', value)) return html`<bdi>${names.get(value) ?? value}</bdi>`
  const characters = [...(typeof value === 'string' ? value : JSON.stringify(value))]
  const isLong = characters.length > MAX_CHARACTERS
  return html`<bdi>${isLong ? `${characters.slice(0, MAX_CHARACTERS).join('')}…` : characters.join('')}</bdi>`
}

/** Renders the change of a value in a line of text. */
export function renderShortChange(
  { from, to }: { from: unknown; to: unknown },
  names: ReadonlyMap<string, string>,
): Html {
  return html`<span class="visually-hidden">from </span>${renderShortValue(from, names)}
    <span aria-hidden="true">→</span> <span class="visually-hidden">to </span>${renderShortValue(to, names)}`
}
