// Keyboard shortcuts of pages with a list: / focuses the search box, j and k move through the rows, Enter opens the
// focused one (it is a link). Single keys can get in the way of speech input, so they can be turned off (WCAG 2.2,
// 2.1.4).

import { parseRendered } from './elements.js'

const OFF = 'shortcuts-off'

const main = document.querySelector('main')
const search = main?.querySelector('form input[type=search], form[method=get] input[type=text]')

/** The links of the rows that can be opened. */
const listRowLinks = () =>
  [...main.querySelectorAll('tbody tr')].map((row) => row.querySelector('a[href]')).filter((link) => link?.offsetParent)

function move(step) {
  const links = listRowLinks()
  const row = document.activeElement?.closest('tbody tr')
  const at = links.findIndex((link) => row?.contains(link))
  const next = at === -1 ? (step > 0 ? 0 : -1) : Math.max(0, at + step)
  links[next]?.focus()
}

/** Adds what the shortcuts are, and the box that turns them off, to the end of the page. */
function explain() {
  main.append(
    parseRendered(
      `<details>
        <summary>Keyboard shortcuts</summary>
        <p>/ goes to the search box, j and k move through the rows, and Enter opens one.</p>
        <label><input type="checkbox" id="shortcuts-on" /> Use these shortcuts</label>
      </details>`,
    ),
  )
  const isOn = document.querySelector('#shortcuts-on')
  isOn.checked = localStorage.getItem(OFF) === null
  isOn.addEventListener('change', () => {
    if (isOn.checked) localStorage.removeItem(OFF)
    else localStorage.setItem(OFF, 'yes')
  })
}

const isTyping = (target) => target.closest('input:not([type=checkbox]), select, textarea, [contenteditable]') !== null

function act(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return
  if (localStorage.getItem(OFF) !== null) return
  const action = { '/': search && (() => search.focus()), j: () => move(1), k: () => move(-1) }[event.key]
  if (!action) return
  event.preventDefault()
  action()
}

if (main && (search || main.querySelector('tbody tr'))) {
  document.addEventListener('keydown', act)
  explain()
}
