import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Snooze } from '#accounts/attention/read-attention'
import { endSnooze, snooze } from '#accounts/attention/snooze'
import { nameOfItem, type AttentionItem } from '#domain/attention'
import { describeKind } from '#domain/attention-kinds'
import { formatLocalDay, shiftDay } from '#domain/local-times'
import { MAX_REASON, MAX_SNOOZE_DAYS } from '#domain/snoozes'
import { readNames } from '#ledger/read/read-names'
import { databaseTimeMs } from '#postgres/database-clock'
import { SNOOZES_PATH } from '#pages/parts/attention'
import { describeItem, nameSubject, describeCode } from '#wording/attention-words'
import { readFormFields, renderButtons, renderHidden } from '#pages/parts/form'
import { addFormPage, type PageForms, renderForm } from '#pages/parts/form-page'
import { isolate, html, renderTable, formatCalendarDay, renderEmpty } from '#pages/parts/elements'
import { NAVIGATION } from '#wording/navigation'
import { type PageServices, getActing, getViewer, readAttentionOf } from '#pages/parts/context'
import { trimBlanks } from '#text/normalize-text'

const HOME = NAVIGATION.bulkUserLogs
/** For how many days a problem is put off, unless somebody chooses another day. */
const PROPOSED_DAYS = 7

/** `/settings/attention`: the problems that are put off, and `/settings/attention/snooze`, the form that does so. */
export function addSnoozePages(app: FastifyInstance, services: PageServices) {
  const { company, db } = services
  addFormPage(app, {
    path: SNOOZES_PATH,
    load: async (request) => {
      const snoozes = (await readAttentionOf(request))?.snoozes ?? []
      const actors = [...new Set(snoozes.map(({ actor }) => actor))]
      return { snoozes, names: await readNames(db, getViewer(request).companyId, actors) }
    },
    render: ({ snoozes, names }, forms) => ({
      title: 'Snoozed problems',
      trail: [HOME],
      body:
        snoozes.length === 0
          ? renderEmpty('No problem is snoozed. “Snooze…” beside a problem hides it until the day you choose.')
          : renderList(snoozes, names, forms),
    }),
    notices: { shown: 'The snooze has ended. If the problem lasts, it is shown again.' },
    forms: {
      end: {
        async run(request, { item = '' }) {
          await endSnooze(company, getActing(request), item)
          return { done: 'shown' }
        },
      },
    },
  })
  addFormPage(app, {
    path: `${SNOOZES_PATH}/snooze`,
    load: findItem,
    render: (item, forms, request) => {
      const { timeZone } = getViewer(request)
      // It may have ended meanwhile.
      if (!item) return { elsewhere: HOME.path }
      const { problem } = describeItem(item, timeZone, databaseTimeMs())
      return {
        title: `Snooze a problem of ${nameSubject(item)}`,
        heading: html`Snooze a problem of ${isolate(nameSubject(item))}`,
        trail: [HOME],
        body: html`<p>${isolate(nameSubject(item))}: ${problem}.</p>
          <p>
            Until the day that you choose, this problem is not shown or counted, and nobody is told of it. The event
            stream says who snoozed it, and why.
          </p>
          ${renderSnoozeForm(item, forms, timeZone)}`,
      }
    },
    forms: {
      snooze: {
        keeps: ['item', 'until', 'reason'],
        async run(request, { until = '', reason = '' }) {
          const item = await findItem(request)
          if (!item) return { goTo: HOME.path }
          const { timeZone } = getViewer(request)
          await snooze(company, getActing(request), item, { until, reason: trimBlanks(reason), timeZone })
          return { goTo: HOME.path }
        },
      },
    },
  })
}

/** Finds the problem that an address or a form names, among those that last. */
async function findItem(request: FastifyRequest) {
  const { item = '' } = { ...readFormFields(request.query), ...readFormFields(request.body) }
  const attention = await readAttentionOf(request)
  return [...(attention?.items ?? []), ...(attention?.snoozed ?? [])].find((one) => nameOfItem(one) === item)
}

function renderSnoozeForm(item: AttentionItem, forms: PageForms<'snooze'>, timeZone: string) {
  const today = formatLocalDay(databaseTimeMs(), timeZone)
  return renderForm(forms, 'snooze', {
    values: { until: shiftDay(today, PROPOSED_DAYS) },
    fields: [
      renderHidden('item', nameOfItem(item)),
      { name: 'until', label: 'Until', type: 'date', hint: `At most ${MAX_SNOOZE_DAYS} days ahead.` },
      {
        name: 'reason',
        label: 'Reason',
        maxLength: MAX_REASON,
        hint: 'It stays in the event stream, so name no people.',
      },
    ],
    buttons: renderButtons('Snooze', HOME.path),
  })
}

function renderList(snoozes: Snooze[], names: ReadonlyMap<string, string>, forms: PageForms<'end'>) {
  return renderTable({
    caption: 'Snoozed problems, that which returns first to begin with',
    columns: {
      Problem: { isWide: true, isLong: true, cell: ({ item }) => renderProblem(item) },
      Until: ({ until }) => formatCalendarDay(until),
      Reason: { isLong: true, cell: ({ reason }) => isolate(reason) },
      'Snoozed by': ({ actor }) => isolate(names.get(actor) ?? actor),
      Action: {
        isHeadingHidden: true,
        cell: ({ name, item }) =>
          html`<form method="post" action="${forms.actionOf('end')}">
            ${renderHidden('item', name)}
            <button>Show again<span class="visually-hidden">: ${isolate(nameSubject(item))}</span></button>
          </form>`,
      },
    },
    rows: snoozes,
  })
}

function renderProblem(item: AttentionItem) {
  const { kind, details } = item
  const why = 'code' in details ? ` (${describeCode(details.code)})` : ''
  return html`${isolate(nameSubject(item))}: ${describeKind(kind)}${why}`
}
