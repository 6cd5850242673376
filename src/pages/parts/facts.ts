import { html, type Html } from './html.ts'
import { formatNumber } from '#wording/numbers'

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

/** Renders numbers, each below its name. */
export function renderCounts(counts: readonly (readonly [label: string, count: number])[]): Html {
  return html`<dl class="counts cluster">
    ${counts.map(
      ([label, count]) =>
        html`<div>
          <dt>${label}</dt>
          <dd>${formatNumber(count)}</dd>
        </div>`,
    )}
  </dl>`
}

/** Renders an id with a button that copies it. The element id is unique in its page. */
export function renderId(elementId: string, id: string, label = 'Copy'): Html {
  return html`<code id="${elementId}">${id}</code>
    <button type="button" class="quiet" data-copy="#${elementId}" hidden>${label}</button>`
}
