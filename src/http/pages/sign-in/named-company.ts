import { isId } from '../../../domain/ids.ts'
import type { FormFields } from '../parts/form.ts'

/** Reads the company that a link or a form names, so that only its user signs in; empty if none is named. */
export function readCompany({ company = '' }: FormFields): string {
  return isId('com', company) ? company : ''
}
