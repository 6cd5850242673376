import { isId } from '../../../domain/ids.ts'
import { readOwnPath } from '../parts/addresses.ts'
import type { FormFields } from '../parts/form.ts'
import { html, type Html } from '../parts/html.ts'
import { type KeptForm, readKeptForm, renderKeptForm } from '../parts/kept-form.ts'

/** Where a sign-in leads to. */
export interface Destination {
  /** A path of this service; empty for the home page. */
  next: string
  /** The form to go back to, if one was sent without a session. */
  kept: KeptForm | null
}

/** Renders the destination as hidden inputs. */
export function renderDestination({ next, kept }: Destination): Html {
  return html`<input type="hidden" name="next" value="${next}" />${renderKeptForm(kept)}`
}

/** Reads the hidden inputs of `renderDestination`. */
export function readDestination(sent: FormFields): Destination {
  return { next: readOwnPath(sent['next']), kept: readKeptForm(sent) }
}

/** Reads the company that a link or a form names, so that only its user signs in; empty if none is named. */
export function readCompany({ company = '' }: FormFields): string {
  return isId('com', company) ? company : ''
}
