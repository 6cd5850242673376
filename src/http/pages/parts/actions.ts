import { html } from 'hono/html'
import type { Action } from '../../openapi/actions.ts'
import { renderConfirmedAction } from './confirm.ts'
import type { Form, PageForms, PageRequest } from './form-page.ts'
import { renderForm } from './form-page.ts'
import type { Html } from './page.ts'

type Actions<Name extends string> = Readonly<Record<Name, Action>>

/** The notices of actions, by the word in the address. */
export function listNotices<Name extends string>(actions: Actions<Name>): Record<string, string> {
  return Object.fromEntries(Object.values<Action>(actions).map(({ done, notice }) => [done, notice]))
}

/** The forms of actions, each sent to a path with its name. */
export function listActionForms<Name extends string, Params>(
  actions: Actions<Name>,
  run: (request: PageRequest<Params>, name: Name) => Promise<unknown>,
): Record<Name, Form<Params, string>> {
  const names = Object.keys(actions) as Name[]
  const forms = names.map((name): [Name, Form<Params, string>] => [
    name,
    {
      path: `/${name}`,
      run: async (request) => {
        await run(request, name)
        return { done: actions[name].done }
      },
    },
  ])
  return Object.fromEntries(forms) as Record<Name, Form<Params, string>>
}

/** Renders the button of an action, which asks first if the action has a question. */
export function renderAction<Name extends string>(
  forms: PageForms<Name>,
  name: Name,
  { button, question }: Action,
): Html {
  if (question === undefined) return renderForm(forms, name, { buttons: html`<button>${button}</button>` })
  return renderConfirmedAction({ label: button, text: question, action: forms.actionOf(name) })
}
