import type { FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import type { SessionUser } from '../../../accounts/users/sessions.ts'
import { countByPath } from './attention.ts'
import { readAttentionOf } from './viewer.ts'
import { ACCOUNT_PATH, findHome, listNavigationItems, type NavigationItem } from './navigation.ts'
import { type Html, type PageMoves, sendPage } from './page.ts'

interface PageContent extends PageMoves {
  title: string
  /** The content of the main part, with its `h1`. */
  body: Html
}

/** Sends a page to a user who is signed in, with the navigation on the left. */
export async function sendUserPage(
  request: FastifyRequest,
  reply: FastifyReply,
  user: SessionUser,
  page: PageContent,
): Promise<FastifyReply> {
  const [path = ''] = request.url.split('?', 1)
  // An error page comes from trouble enough.
  const attention = reply.statusCode < 400 ? await readAttentionOf(request) : null
  return sendPage(
    reply,
    page.title,
    html`<a class="skip" href="#main">Skip to content</a>
      ${renderHeader(user)}
      <div class="columns">
        ${renderNavigation(user, path, countByPath(attention?.items ?? []))}
        <main id="main" tabindex="-1">${page.body}</main>
      </div>`,
    page,
  )
}

/** Sends a page without navigation: sign-in, invitation, error. */
export async function sendPlainPage(reply: FastifyReply, page: PageContent): Promise<FastifyReply> {
  return sendPage(
    reply,
    page.title,
    html`<header class="bar"><a class="brand" href="/">employee-ledger</a></header>
      <main id="main" class="plain">${page.body}</main>`,
    page,
  )
}

/** Renders the breadcrumb of a page below an item of Company Settings. */
export function renderBreadcrumb(item: NavigationItem, between: { label: string; path: string }[] = []): Html {
  const steps = [item, ...between].map(
    ({ label, path }, at) =>
      html`${at > 0 ? html`<span aria-hidden="true">/</span> ` : ''}<a href="${path}"><bdi>${label}</bdi></a> `,
  )
  return html`<nav aria-label="Breadcrumb" class="trail">${steps}</nav>`
}

function renderCount(count: number | undefined): Html {
  if (count === undefined) return html``
  return html` <span class="count" title="Needs attention">${count}<span class="visually-hidden"> need attention</span></span>`
}

function renderHeader(user: SessionUser): Html {
  return html`<header class="bar">
    <a class="brand" href="${findHome(user.role)}">employee-ledger</a>
    <span class="company"><bdi>${user.companyName}</bdi></span>
    <nav class="personal" aria-label="Personal">
      <a href="${ACCOUNT_PATH}"><bdi>${user.name}</bdi></a>
      <span class="role">${user.role}</span>
      <form method="post" action="/sign-out"><button class="quiet">Sign out</button></form>
    </nav>
  </header>`
}

function renderNavigation(user: SessionUser, path: string, counts: ReadonlyMap<string, number>): Html {
  const items = listNavigationItems(user.role)
  if (items.length === 0) return html``
  const isUnder = (item: string) => path === item || path.startsWith(`${item}/`)
  return html`<div class="settings">
    <nav aria-label="Company Settings">
      <h2>Company Settings</h2>
      <ul>
        ${items.map(
          (item) =>
            html`<li>
              <a href="${item.path}" ${isUnder(item.path) ? html`aria-current="page"` : ''}>${item.label}</a>${renderCount(counts.get(item.path))}
            </li>`,
        )}
      </ul>
    </nav>
    <nav aria-label="Developers">
      <h2>Developers</h2>
      <ul>
        <li><a href="/docs">API reference</a></li>
        <li><a href="/problems">Problem codes</a></li>
      </ul>
    </nav>
  </div>`
}
