import { renderRadios, type FormFields } from '#pages/parts/form'
import { ENCODINGS, readEncoding } from '#spreadsheets/encodings/encodings'
import type { FileAnswers, FileParameter, StoredQuestion } from '#spreadsheets/formats/file-question'
import type { LeftOut } from '#spreadsheets/tables/find-table'
import type { Original } from '#ledger/uploads/store-upload'
import { UPLOAD_PATH } from '#wording/navigation'
import { isolate, html, type Html, renderTable, renderHint, renderJoined } from '#pages/parts/elements'
import { formatCount, formatNumber, isOrAre } from '#wording/numbers'

const LEGENDS: Readonly<Record<FileParameter, string>> = {
  encoding: 'Which of these looks right?',
  sheet: 'Which sheet has the employees?',
}
const NONE_IS_RIGHT: Readonly<Record<FileParameter, string>> = {
  encoding: 'If none does, save the file as UTF-8 or as an Excel workbook, and upload it again.',
  sheet: 'The other sheets are not read.',
}

/** Renders the form that asks how to read a file. The likeliest way is chosen. */
export function renderQuestion(id: string, { parameter, choices }: StoredQuestion) {
  return html`<form method="post" action="${UPLOAD_PATH}/${id}/read" class="stack">
    ${renderRadios(
      LEGENDS[parameter],
      parameter,
      choices[0]?.value ?? '',
      choices.map(({ value, name, samples }) => ({
        value,
        label: renderJoined(samples.map(isolate), ' · '),
        hint: isolate(name),
      })),
    )}
    <p class="hint">${NONE_IS_RIGHT[parameter]}</p>
    <div class="actions">
      <button class="primary">Preview</button>
      <button formaction="${UPLOAD_PATH}/${id}/cancel">Choose another file</button>
    </div>
  </form>`
}

/** Reads how the user wants the file to be read. What the form leaves out stays unchanged. */
export function readAnswers(fields: FormFields, before: FileAnswers) {
  const { encoding, sheet, header_row: row } = fields
  return {
    encoding: encoding === undefined ? before.encoding : readEncoding(encoding),
    sheet: sheet ?? before.sheet,
    headerLine: row !== undefined && /^[1-9][0-9]{0,5}$/.test(row) ? Number(row) : before.headerLine,
  }
}

/** Renders how a file was read, and which of its rows are no records, with forms to read it in another way. */
export function renderReading({ id, notes, answers, hasContent }: Original) {
  if (!notes) return html``
  const { headerLine, leftOut, leftOutMore } = notes
  const form = (content: Html) =>
    html`<form method="post" action="${UPLOAD_PATH}/${id}/read" class="stack">${content}</form>`
  return html`<details>
    <summary>
      ${headerLine !== null && `Line ${formatNumber(headerLine)} names the columns. `}
      ${describeLeftOut(leftOut, leftOutMore)}
    </summary>
    ${
      leftOut.length !== 0 &&
      renderTable<LeftOut>({
        caption: 'Left out',
        isCaptionShown: true,
        columns: {
          Place: formatPlace,
          Reason: ({ message }) => isolate(message),
          Correction: ({ line, reason }) =>
            hasContent && line !== null && (reason === 'above_header' || reason === 'second_header')
              ? form(html`<button name="header_row" value="${line}">Line ${line} names the columns</button>`)
              : '',
        },
        rows: leftOut,
      })
    }
    ${leftOutMore !== 0 && renderHint(`and ${formatNumber(leftOutMore)} more`)}
    ${
      hasContent &&
      form(html`<p>
              <label for="header-row">Line that names the columns</label>
              <input id="header-row" name="header_row" inputmode="numeric" value="${headerLine ?? ''}" />
            </p>
            <p>
              <label for="encoding">Encoding</label>
              <select id="encoding" name="encoding">
                <option value="">Detected automatically</option>
                ${Object.entries(ENCODINGS).map(
                  ([value, name]) =>
                    html`<option value="${value}" ${value === answers.encoding && html`selected`}>${name}</option>`,
                )}
              </select>
            </p>
            <p class="actions"><button>Read again</button></p>`)
    }
  </details>`
}

/** Says how many rows are left out, and how many notes there are about other things. */
function describeLeftOut(leftOut: readonly LeftOut[], more: number): string {
  const rows = leftOut.reduce(
    (sum, { line, lastLine }) => (line === null ? sum : sum + (lastLine ?? line) - line + 1),
    more,
  )
  const others = leftOut.filter(({ line }) => line === null).length
  if (rows + others === 0) return 'All other rows are read.'
  const said = rows === 0 ? '' : `${formatCount(rows, 'row')} ${isOrAre(rows)} left out. `
  return others === 0 ? said : `${said}${formatCount(others, 'note')} about the file.`
}

function formatPlace({ line, lastLine }: LeftOut): string {
  if (line === null) return 'The file'
  return lastLine === null || lastLine === line
    ? `Line ${formatNumber(line)}`
    : `Lines ${formatNumber(line)}–${formatNumber(lastLine)}`
}
