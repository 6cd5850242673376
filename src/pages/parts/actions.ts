import type { Action } from '#http/openapi/actions'
import { renderConfirmedAction } from './confirm.ts'
import { renderForm, type Form, type PageForms, type PageRequest } from './form-page.ts'
import { html, type Html } from './html.ts'

type Actions<Name extends string, Done extends string> = Readonly<Record<Name, Action<Done>>>

/** The notices of actions, by the word in the address. */
export function listNotices<Done extends string>(actions: Actions<string, Done>): Record<Done, string> {
  const notices = Object.values<Action<Done>>(actions).map(({ done, notice }) => [done, notice])
  return Object.fromEntries(notices) as Record<Done, string>
}

/** The forms of actions, each sent to a path with its name. */
export function listActionForms<Name extends string, Done extends string, Params>(
  actions: Actions<Name, Done>,
  run: (request: PageRequest<Params>, name: Name) => Promise<unknown>,
): Record<Name, Form<Params, Done>> {
  const forms = (Object.keys(actions) as Name[]).map((name): [Name, Form<Params, Done>] => [
    name,
    {
      path: `/${name}`,
      run: async (request) => {
        await run(request, name)
        return { done: actions[name].done }
      },
    },
  ])
  return Object.fromEntries(forms) as Record<Name, Form<Params, Done>>
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
