import type { FastifyReply, FastifyRequest } from 'fastify'
import { PAGE_HEADERS } from '#http/server/security-headers'
import type { SessionUser } from '#accounts/users/sessions'
import { countByPath } from '#wording/attention-words'
import {
  ACCOUNT_PATH,
  findHome,
  listNavigationItems,
  NAVIGATION_GROUPS,
  REFERENCE_PAGES,
  SEARCH_PATH,
  type UpperPage,
} from '#wording/navigation'
import { assetUrl } from '#pages/assets/assets'
import { html, type Html, renderButton, renderNameLink, isolate } from './elements.ts'
import { type FormProblem, renderFormAlert } from './form.ts'
import { readAttentionOf } from './context.ts'

/** The answers that may be better soon. */
const LATER: ReadonlySet<number> = new Set([429, 503])
const RETRY_AFTER_SECONDS = '1'

/** Where a page goes by itself. */
export interface PageMoves {
  /** Without scripts, the page reloads itself after so many seconds. */
  reloadSeconds?: number | undefined
  /** The page leads to this address at once; it must have a link there too. */
  goTo?: string | null | undefined
}

/** Sends a whole page, which no cache may keep. */
async function sendPage(
  reply: FastifyReply,
  title: string | Html,
  body: Html,
  { reloadSeconds, goTo }: PageMoves = {},
) {
  const page = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · employee-ledger</title>
        <link rel="icon" href="${assetUrl('icon.svg')}" type="image/svg+xml" />
        <link rel="stylesheet" href="${assetUrl('style.css')}" />
        <script src="${assetUrl('script.js')}" type="module"></script>
        <script src="${assetUrl('keyboard.js')}" type="module"></script>
        ${reloadSeconds !== undefined && html`<noscript>${renderRefresh(reloadSeconds)}</noscript>`}
        ${typeof goTo === 'string' && renderRefresh(`0; url=${goTo}`)}
      </head>
      <body>
        ${body}
      </body>
    </html>`
  if (LATER.has(reply.statusCode) && !reply.hasHeader('retry-after'))
    void reply.header('retry-after', RETRY_AFTER_SECONDS)
  if (!reply.hasHeader('cache-control')) void reply.header('cache-control', 'no-store')
  return reply.headers(PAGE_HEADERS).type('text/html; charset=utf-8').send(page.toString())
}

function renderRefresh(content: string | number) {
  return html`<meta http-equiv="refresh" content="${content}" />`
}

/** Sends a part of a page for the script to insert. */
export async function sendFragment(reply: FastifyReply, body: Html) {
  return reply
    .headers({ ...PAGE_HEADERS, 'cache-control': 'no-store' })
    .type('text/html; charset=utf-8')
    .send((await body).toString())
}

interface PageContent extends PageMoves {
  title: string | Html
  /** The content of the main part, with its `h1`. */
  body: Html
}

/** Sends a page to a user who is signed in, with the navigation on the left. */
export async function sendUserPage(reply: FastifyReply, user: SessionUser, page: PageContent) {
  const { request } = reply
  const [path = ''] = request.url.split('?', 1)
  // Where the service fails, or the company asks too much of it, it is asked nothing more.
  const isSpared = reply.statusCode >= 500 || reply.statusCode === 429
  const attention = isSpared ? null : await readAttentionOf(request)
  return sendPage(
    reply,
    page.title,
    html`<a class="skip" href="#main">Skip to content</a>
      <div class="frame">
        ${renderSide(user, path, countByPath(attention?.items ?? []))}
        <main id="main" tabindex="-1">${page.body}</main>
      </div>`,
    page,
  )
}

/** Sends a page that everybody may open: users who are signed in keep the navigation. */
export async function sendOpenPage(request: FastifyRequest, reply: FastifyReply, page: PageContent) {
  if (request.viewer) return sendUserPage(reply, request.viewer, page)
  return sendPage(
    reply,
    page.title,
    html`<header class="bar"><a href="/">employee-ledger</a></header>
      <main id="main" class="plain">${page.body}</main>`,
    page,
  )
}

interface CardPage extends PageMoves {
  title: string
  /** The heading, if it is not the title. */
  heading?: string
  /** Why its form was refused. */
  problem?: FormProblem
  /** The content below the heading. */
  body: Html
}

/** Sends a page without navigation, as a card: sign-in, invitation. */
export async function sendCardPage(
  reply: FastifyReply,
  { title, heading = title, problem = null, body, ...moves }: CardPage,
) {
  if (problem) void reply.code(problem.status)
  return sendPage(
    reply,
    title,
    html`<main id="main" class="card">
      <p class="card-brand">employee-ledger</p>
      <h1>${heading}</h1>
      ${renderFormAlert(problem)} ${body}
    </main>`,
    moves,
  )
}

/** Renders the breadcrumb of a page. */
export function renderBreadcrumb(item: UpperPage, between: UpperPage[] = []) {
  const steps = [item, ...between].map(
    ({ label, path }, at) => html`${at > 0 && html`<span aria-hidden="true">/</span> `}${renderNameLink(path, label)} `,
  )
  return html`<nav aria-label="Breadcrumb" class="trail">${steps}</nav>`
}

function renderCount(count: number | undefined) {
  if (count === undefined) return html``
  const meaning = html`<span class="visually-hidden"> need attention</span>`
  return html` <span class="badge warn" title="Needs attention">${count}${meaning}</span>`
}

function renderSide(user: SessionUser, path: string, counts: ReadonlyMap<string, number>) {
  const items = listNavigationItems(user.role)
  const groups = NAVIGATION_GROUPS.map((group) => {
    const ofGroup = items.filter((item) => item.group === group)
    return renderGroup(group, ofGroup, path, counts)
  })
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  return html`<header class="side">
    <a class="home" href="${findHome(user.role)}"><span class="company">${isolate(user.companyName)}</span></a>
    ${renderButton(SEARCH_PATH, 'Search')}
    <details class="menu">
      <summary class="button">Menu${renderCount(total === 0 ? undefined : total)}</summary>
      <div class="menu-panel">
        ${items.length !== 0 && html`<nav aria-label="Company Settings" class="menu-pages">${groups}</nav>`}
        <nav aria-label="Developers" class="menu-pages">
          ${renderGroup('Developers', REFERENCE_PAGES, path, counts)}
        </nav>
        <nav class="personal cluster" aria-label="Personal">
          ${renderNameLink(ACCOUNT_PATH, user.name)}
          <span class="badge">${user.role}</span>
          <form method="post" action="/sign-out"><button class="quiet">Sign out</button></form>
        </nav>
      </div>
    </details>
  </header>`
}

function renderGroup(label: string, items: readonly UpperPage[], path: string, counts: ReadonlyMap<string, number>) {
  if (items.length === 0) return html``
  const isUnder = (item: string) => path === item || path.startsWith(`${item}/`)
  return html`<section>
    <h2>${label}</h2>
    <ul class="places">
      ${items.map((item) => {
        const current = isUnder(item.path) ? html`aria-current="page"` : ''
        return html`<li><a href="${item.path}" ${current}>${item.label}</a>${renderCount(counts.get(item.path))}</li>`
      })}
    </ul>
  </section>`
}
