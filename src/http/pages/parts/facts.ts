import { html, type Html } from './html.ts'

/** A name and its value; null if there is nothing to say. */
export type Fact = readonly [label: string, value: Html | string] | null

/** Renders what is known about a thing, as names and values. */
export function renderFacts(facts: readonly Fact[]): Html {
  return html`<dl class="facts">
    ${facts.map((fact) =>
      fact === null
        ? ''
        : html`<dt>${fact[0]}</dt>
            <dd>${fact[1]}</dd> `,
    )}
  </dl>`
}

/** Renders an id with a button that copies it. The element id is unique in its page. */
export function renderId(elementId: string, id: string, label = 'Copy'): Html {
  return html`<code id="${elementId}">${id}</code>
    <button type="button" class="quiet" data-copy="#${elementId}" hidden>${label}</button>`
}
