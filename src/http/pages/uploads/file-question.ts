import { html } from 'hono/html'
import type { FileParameter, FileQuestion } from '../../../../clients/typescript/spreadsheets/file-question.ts'
import type { Html } from '../parts/page.ts'
import { UPLOAD_PATH } from '../parts/upload-address.ts'

const LEGENDS: Readonly<Record<FileParameter, string>> = {
  encoding: 'Which of these looks right?',
  sheet: 'Which sheet has the employees?',
}

/** Renders the form that asks how to read a file. The likeliest way is chosen. */
export function renderQuestion({ parameter, choices }: FileQuestion, logId: string): Html {
  return html`<form method="post" action="${UPLOAD_PATH}" enctype="multipart/form-data" class="stack">
    <input type="hidden" name="log" value="${logId}" />
    <fieldset>
      <legend>${LEGENDS[parameter]}</legend>
      ${choices.map(
        ({ value, name, samples }, at) =>
          html`<p>
            <label>
              <input type="radio" name="${parameter}" value="${value}" ${at === 0 ? html`checked` : ''} />
              ${samples.map((text, index) => html`${index === 0 ? '' : ', '}<bdi>${text}</bdi>`)}
            </label>
            <span class="hint"><bdi>${name}</bdi></span>
          </p>`,
      )}
    </fieldset>
    <input type="file" name="file" required />
    <div class="actions"><button class="primary">Preview</button></div>
  </form>`
}
