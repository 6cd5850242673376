import type { FormProblem } from '../parts/form.ts'

/** The problem of the form that was sent. */
export interface AccountProblem {
  form: 'password' | 'token'
  problem: FormProblem
}
