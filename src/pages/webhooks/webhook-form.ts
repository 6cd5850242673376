import { findResumePosition } from '#accounts/webhooks/read-webhooks'
import { findStartOf, readLocal } from '#domain/local-times'
import { DEFAULT_CONCURRENCY, MAX_CONCURRENCY, MAX_DESCRIPTION, MAX_URL } from '#domain/webhooks/webhook-lifecycle'
import { WEBHOOK_TYPES, type WebhookSettings, type WebhookTopic } from '#domain/webhook-types'
import type { LedgerDb } from '#ledger/tables'
import { CreateWebhookBody, readSettings, ResumeBody } from '#api/admin/webhooks/webhook-schemas'
import { refuseField } from '#http/server/problem'
import {
  checkForm,
  keepLineBreaks,
  readWholeNumber,
  renderFields,
  type FormControl,
  type FormFields,
  type FormProblem,
  renderBox,
  renderBoxes,
  describeZone,
} from '#pages/parts/form'
import { html, renderCode } from '#pages/parts/elements'
import { trimBlanks } from '#text/normalize-text'

/** The fields of `renderWebhookFields`. A chosen type is a field of its name. */
export const WEBHOOK_FIELDS = ['url', 'description', ...WEBHOOK_TYPES, 'include_data', 'concurrency'] as const

/** The fields of a new webhook. */
export const NEW_WEBHOOK = formatFields({
  url: '',
  description: '',
  types: [...WEBHOOK_TYPES],
  include_data: false,
  concurrency: DEFAULT_CONCURRENCY,
})

/** Formats settings as the fields of the form. */
export function formatFields(settings: WebhookSettings): FormFields {
  return {
    url: settings.url,
    description: settings.description,
    ...Object.fromEntries(settings.types.map((type) => [type, 'on'])),
    include_data: settings.include_data ? 'yes' : 'no',
    concurrency: String(settings.concurrency),
  }
}

/**
 * Reads the settings in a form, which showed `current`, if it is that of a webhook. Throws a problem with an error for
 * each bad field.
 */
export function readWebhookForm(fields: FormFields, allowsHttp: boolean, current?: WebhookSettings): WebhookSettings {
  const { url = '', description = '', include_data: includeData, concurrency } = fields
  const settings = checkForm(CreateWebhookBody, {
    url: trimBlanks(url),
    description: trimBlanks(keepLineBreaks(description, current?.description)),
    types: WEBHOOK_TYPES.filter((type) => fields[type] !== undefined),
    include_data: includeData === 'yes',
    concurrency: readWholeNumber(concurrency),
  })
  return readSettings(settings, allowsHttp)
}

const NAMES = [
  {
    name: 'url',
    label: 'URL',
    maxLength: MAX_URL,
    hint: 'Where messages are sent, such as https://example.com/hooks.',
  },
  {
    name: 'description',
    label: 'Description (optional)',
    maxLength: MAX_DESCRIPTION,
    isRequired: false,
    hint: 'What receives the messages, such as “Payroll”.',
  },
]
const SENDING: FormControl[] = [
  {
    name: 'include_data',
    label: 'Messages contain',
    options: [
      { value: 'no', label: 'IDs and attribute names only' },
      { value: 'yes', label: 'Values, too' },
    ],
    hint: 'Values are personal data. Without them, the receiver asks the API for what it needs.',
  },
  {
    name: 'concurrency',
    label: 'Messages at once',
    type: 'number',
    min: 1,
    max: MAX_CONCURRENCY,
    hint: 'Messages about one employee are always sent in order.',
  },
]

/** Renders the fields of a webhook. */
export function renderWebhookFields(fields: FormFields, problem: FormProblem) {
  return renderFields([...NAMES, renderTypes(fields, problem), ...SENDING], fields, problem)
}

/** What messages are about: the first part of their types. */
const TOPICS: Record<WebhookTopic, string> = {
  employee: 'Employees',
  api_call: 'API calls',
  api_key: 'API keys',
  attention: 'Needs attention',
}

function renderTypes(fields: FormFields, problem: FormProblem) {
  const topics = Object.entries(TOPICS).map(([topic, legend]) => {
    const own = WEBHOOK_TYPES.filter((type) => type.startsWith(`${topic}.`))
    return html`<fieldset>
      <legend>${legend}</legend>
      ${own.map((type) => renderBox(type, renderCode(type), fields))}
    </fieldset>`
  })
  return renderBoxes('types', 'Message types', topics, problem, 'Choose at least one message type')
}

/** The names of the fields that say from where messages are sent. */
export const RESUME_FIELDS = ['since', 'after'] as const

/** The fields that say from where messages are sent. */
export function listResumeFields(timeZone: string): FormControl[] {
  return [
    {
      name: 'since',
      label: 'Events since',
      type: 'datetime-local',
      isRequired: false,
      hint: describeZone(timeZone),
    },
    {
      name: 'after',
      label: 'Or events after number',
      type: 'number',
      min: 0,
      isRequired: false,
      hint: 'As in the event stream; 0 for all events.',
    },
  ]
}

/** Reads the position after which messages are sent. Throws a problem at the field. */
export async function readResumeForm(
  db: LedgerDb,
  companyId: string,
  { since = '', after = '' }: FormFields,
  timeZone: string,
) {
  if ((since === '') === (after === '')) throw refuseField('/since', 'Enter either a time or the number of an event')
  if (since === '') return checkForm(ResumeBody, { after: readWholeNumber(after) }).after!
  if (!readLocal(since)) throw refuseField('/since', 'Enter a date and a time')
  return findResumePosition(db, companyId, new Date(findStartOf(since, timeZone)).toISOString())
}
