import { formatNumber } from '#wording/numbers'
import { ATTRIBUTE_NAMES } from '#domain/attributes'
import { isId } from '#domain/ids'
import { CUSTOM_PREFIX } from '#domain/employees/employee'
import { html, renderCode, isolate } from './elements.ts'

/** Renders the last four characters of a secret, so that people recognize it. A dash if they are not stored. */
export function renderLastFour(lastFour: string | null) {
  return lastFour === null ? html`—` : html`<code><span aria-hidden="true">…</span>${lastFour}</code>`
}

/** Texts from this length on are collapsed. */
const FOLDED_FROM = 160
const BEGINNING = 80

/** Renders the value of an attribute, isolated from the surrounding writing direction. */
export function renderValue(value: unknown) {
  if (value === null || value === undefined) return html`<span class="hint">not set</span>`
  if (value === '') return html`<span class="hint">empty</span>`
  if (typeof value === 'string') return renderText(value)
  return renderCode(JSON.stringify(value))
}

function renderText(text: string) {
  const characters = [...text]
  if (characters.length < FOLDED_FROM) return renderBreakable(text)
  const beginning = characters.slice(0, BEGINNING).join('')
  return html`<details>
    <summary>${isolate(beginning)}… (${formatNumber(characters.length)} characters)</summary>
    <bdi class="whole">${text}</bdi>
  </details>`
}

/** More breaks than an address or a name needs. */
const MAX_BREAKS = 100

/** Renders a text that breaks behind the signs of an address or a name, not inside a word. */
export function renderBreakable(text: string) {
  const parts = text.split(/(?<=\S[@._/])(?=\S)/)
  const rest = parts.splice(MAX_BREAKS).join('')
  const all = rest === '' ? parts : [...parts, rest]
  return isolate(all.map((part, at) => html`${at > 0 && html`<wbr />`}${part}`))
}

/** Renders the old and the new value, also for screen readers. */
export function renderChange({ from, to }: { from: unknown; to: unknown }) {
  return html`<del><span class="visually-hidden">from </span>${renderValue(from)}</del>
    <span aria-hidden="true">→</span>
    <ins><span class="visually-hidden">to </span>${renderValue(to)}</ins>`
}

const PLACES = new Map<string, number>(ATTRIBUTE_NAMES.map((name, place) => [name, place]))

/** Lists attributes, the names of a person first, and custom ones one by one: `custom_attributes.grade`. */
export function listAttributes(attributes: Record<string, unknown>): [name: string, value: unknown][] {
  const placeOf = (name: string) => PLACES.get(name) ?? PLACES.size
  const inOrder = Object.entries(attributes).toSorted(([one], [other]) => placeOf(one) - placeOf(other))
  return inOrder.flatMap(([name, value]) => {
    if (name !== 'custom_attributes' || typeof value !== 'object' || value === null) return [[name, value]]
    return Object.entries(value).map(([key, inner]): [string, unknown] => [`${name}.${key}`, inner])
  })
}

const SPECIAL: Readonly<Record<string, string>> = {
  external_id: 'External ID',
  directory_external_id: 'Directory external ID',
  manager_id: 'Manager',
}

/** Formats the name of an attribute for people: `Job title`. Custom attributes keep the name that the company gave. */
export function formatAttributeName(name: string) {
  if (name.startsWith(CUSTOM_PREFIX)) return name.slice(CUSTOM_PREFIX.length)
  return SPECIAL[name] ?? `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`
}

/** Renders the name of an attribute, with the one that programs use as its title. Keeps a name that nothing has. */
export function renderAttributeName(name: string) {
  const isKnown = name.startsWith(CUSTOM_PREFIX) || ATTRIBUTE_NAMES.some((known) => known === name)
  return html`<span title="${name}">${renderBreakable(isKnown ? formatAttributeName(name) : name)}</span>`
}

const MAX_CHARACTERS = 60

/** Renders a value in a line of text: short, isolated from the surrounding writing direction, managers by name. */
export function renderShortValue(value: unknown, names: ReadonlyMap<string, string>) {
  if (value === null || value === undefined) return html`<span class="hint">not set</span>`
  if (value === '') return html`<span class="hint">empty</span>`
  if (isId('emp', value)) return isolate(names.get(value) ?? value)
  const characters = [...(typeof value === 'string' ? value : JSON.stringify(value))]
  const isLong = characters.length > MAX_CHARACTERS
  return isolate(isLong ? `${characters.slice(0, MAX_CHARACTERS).join('')}…` : characters.join(''))
}

/** Renders the change of a value in a line of text. */
export function renderShortChange({ from, to }: { from: unknown; to: unknown }, names: ReadonlyMap<string, string>) {
  return html`<span class="visually-hidden">from </span>${renderShortValue(from, names)}
    <span aria-hidden="true">→</span> <span class="visually-hidden">to </span>${renderShortValue(to, names)}`
}
