// What is live on the pages. Every page works without it.

/** Buttons that copy a text: `<button data-copy="#id" hidden>`; shown only where copying works. */
function copyButtons() {
  if (!navigator.clipboard) return
  for (const button of document.querySelectorAll('button[data-copy]')) {
    const label = button.textContent
    button.hidden = false
    const copy = async () => {
      await navigator.clipboard.writeText(document.querySelector(button.dataset.copy)?.textContent ?? '')
      button.textContent = 'Copied'
      setTimeout(() => (button.textContent = label), 2_000)
    }
    button.addEventListener('click', () => void copy())
  }
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
]
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** Keeps what says how long ago something was, or when it will be, true: `<span data-since="RFC 3339">`. */
function keepAges() {
  const now = Date.now()
  for (const span of document.querySelectorAll('[data-since]')) {
    const away = Date.parse(span.dataset.since) - now
    const [unit, size] = UNITS.find(([, size]) => Math.abs(away) >= size) ?? UNITS[3]
    const text = relative.format(Math.trunc(away / size), unit)
    if (span.textContent !== text) span.textContent = text
  }
}

copyButtons()
setInterval(keepAges, 1_000)
