import { inTurns } from '#admission/turns'
import { formatTime } from '#domain/local-times'
import type { EvidenceFacts, Storyteller } from '#evidence/evidence-file'
import type { EvidenceSubject } from '#ledger/evidence/evidence-subject'
import { readHeader } from '#ledger/integrity/codec'
import { readNamesKept } from '#ledger/read/read-names'
import { FILE_POLICY } from '#personal-data/report'
import { listNamedIds, renderSentence } from '#pages/events/event-sentence'
import { html } from '#pages/parts/elements'
import { formatNumber } from '#wording/numbers'

/** Writes the page `READ-ME.html` of evidence files: it tells the events in sentences, and needs nothing but itself. */
export const readMe: Storyteller = {
  async renderRows(db, company, events) {
    const listed = events.map(({ event: { position, data, ...rest }, leaf }) => ({
      leaf,
      event: {
        position,
        data,
        summary: data,
        isErased: data === null,
        header: readHeader({ position, ...rest }),
      },
    }))
    const names = await readNamesKept(
      db,
      company.id,
      listed.flatMap(({ event }) => listNamedIds(event)),
    )
    const viewer = { role: 'auditor', timeZone: company.timeZone } as const
    const rows: string[] = []
    for await (const { event, leaf } of inTurns(listed)) {
      const row = html`<tr>
        <td>${formatTime(event.header.recorded_at, company.timeZone)}</td>
        <td>${renderSentence(event, { viewer, names })}</td>
        <th scope="row">${formatNumber(event.position)}</th>
        <td><code>${leaf.toString('base64')}</code></td>
      </tr>`
      rows.push(removeLinks((await row).toString()))
    }
    return rows.join('')
  },

  async renderPage(facts, rows, told) {
    const title = `Evidence about ${describeSubject(facts)}`
    const page = await html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta http-equiv="content-security-policy" content="${FILE_POLICY}" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <title>${title}</title>
          <style>
            ${STYLE}
          </style>
        </head>
        <body>
          <h1>${title}</h1>
          ${renderFacts(facts)} ${renderProven(facts)}
          <h2>What happened</h2>
          ${
            told < facts.events &&
            html`<p>
              These are the first ${formatNumber(told)} events. All ${formatNumber(facts.events)} are in
              <code>events.ndjson</code>.
            </p>`
          }
          <table>
            <thead>
              <tr>
                <th scope="col">Time (${facts.company.timeZone})</th>
                <th scope="col">What happened</th>
                <th scope="col">Position</th>
                <th scope="col">Leaf hash</th>
              </tr>
            </thead>
            <tbody>
              ${MARK}
            </tbody>
          </table>
        </body>
      </html>`
    const [before = '', after = ''] = page.toString().split(MARK)
    return [before, ...rows, after, '\n']
  },
}

const MARK = '\u{f0000}'

const STYLE = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: break-word }
table { border-collapse: collapse; width: 100% }
th, td { text-align: start; vertical-align: top; padding: .25rem .5rem; border-bottom: 1px solid #8888 }
code { overflow-wrap: anywhere; font-size: .85em }
.visually-hidden { display: none }
dt { font-weight: 600 }
dd { margin: 0 0 .5rem }
@media (width <= 40rem) { th, td { padding-inline: .1rem; font-size: .8rem } }
@media print { body { margin: 0; max-width: none } tr { break-inside: avoid } }`

/** Removes links, which lead to pages that a file on a disk does not have. Only templates make markup. */
function removeLinks(markup: string) {
  return markup.replaceAll(/<a class="call"[^<>]*>[^<]*<\/a>|<a [^<>]*>|<\/a>/g, '')
}

/** Says what a file is about. */
export function describeSubject({
  subject,
  subjectName,
  company,
}: {
  subject: EvidenceSubject
  subjectName?: string | undefined
  company: { timeZone: string }
}) {
  // Isolated, because a name may be written from right to left.
  if (subjectName !== undefined) return `\u2068${subjectName}\u2069 (${subject.kind === 'period' ? '' : subject.id})`
  if (subject.kind !== 'period') return `${subject.kind} ${subject.id}`
  const [from, to] = [subject.from, subject.to].map((time) => time && formatTime(time, company.timeZone))
  if (!from && !to) return 'the whole ledger'
  return `the period${from ? ` from ${from}` : ''}${to ? ` until before ${to}` : ''}`
}

function renderFacts({ company, events, checkpoint, signedAt }: EvidenceFacts) {
  const { size, root, publicKey } = checkpoint
  return html`<dl>
    <dt>Company</dt>
    <dd><bdi>${company.name}</bdi>, <code>${company.id}</code></dd>
    <dt>Events in this file</dt>
    <dd>${formatNumber(events)} of the ${formatNumber(size)} events of the company's ledger</dd>
    <dt>Signed</dt>
    <dd>${formatTime(signedAt, company.timeZone)}</dd>
    <dt>Root of the ledger</dt>
    <dd><code>${root.toString('base64')}</code></dd>
    <dt>Public key</dt>
    <dd><code>${publicKey}</code></dd>
  </dl>`
}

const COMPLETE: Record<EvidenceSubject['kind'], string> = {
  employee:
    "No event of the employee's own history is left out between its first and its last event here. Calls that " +
    'changed nothing about the employee have no event of their own and are not in this file. Whether there are ' +
    'later events, or refused records that mention the employee beside those here, the file cannot prove.',
  call: 'No event is left out between the first and the last event of the call here, and the last one closes the call.',
  period:
    'No event is left out between the first and the last event here. Whether the period has earlier or later events, ' +
    'the file cannot prove.',
}

function renderProven({ subject }: EvidenceFacts) {
  return html`<h2>How to verify this file</h2>
    <p>
      Run <code>python3 verify.py</code> in the unpacked folder. It needs Python 3.8 or newer, no network, and no other
      packages. It checks every byte of every file. Whoever can change this file can also change the
      <code>verify.py</code> in it. If you did not get the file from someone you trust, take the verifier from the
      service instead, under <code>/verify</code>, which also verifies it in a browser. Compare the public key above
      with the one that the service shows there, or with one that you noted down earlier.
    </p>
    <h2>What is proven, if it verifies</h2>
    <ul>
      <li>
        Each event of <code>events.ndjson</code> is in the ledger with this root, at its position, and nothing in it has
        changed since it was recorded: what happened, to whom, when, and which key or user caused it.
      </li>
      <li>The holder of the signing key has signed this root, and with it all events up to this size of the ledger.</li>
      <li>${COMPLETE[subject.kind]}</li>
      <li>Missing data were erased by an event in this file. Their salted hashes are still part of the ledger.</li>
    </ul>
    <h2>What is not proven</h2>
    <ul>
      <li>That what was recorded is true. The ledger proves what the service was told, and when it recorded it.</li>
      <li>That the operator shows everybody the same ledger. Compare its root with checkpoints that others kept.</li>
      <li>
        The company's name, and the time of signing, which are not part of what is signed; and this page, which only
        repeats the events. The names of people, keys, and users on it are those at the time it was made.
      </li>
      <li>That this file is complete: someone may have made another file with fewer of these events.</li>
    </ul>`
}
