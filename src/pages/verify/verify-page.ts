import type { FastifyInstance } from 'fastify'
import { ERASING_TYPES, EVENT_TYPES, mayErase } from '#domain/event-types'
import type { EventType } from '#domain/events'
import { DOCUMENTS } from '#evidence/evidence-file'
import type { CheckpointSigner } from '#ledger/audit/sign-checkpoint'
import { assetUrl } from '#pages/assets/assets'
import { html, type Html, renderCode } from '#pages/parts/elements'
import { sendOpenPage } from '#pages/parts/layout'
import { renderMarkdown } from '#pages/reference/render-markdown'
import { NAVIGATION } from '#wording/navigation'
import { type RecognitionServices, recognizeViewer } from '#pages/parts/context'

const DOWNLOADS = {
  'verify_ledger.py': 'text/x-python; charset=utf-8',
  'verify_ledger.go': 'text/x-go; charset=utf-8',
} as const

/**
 * `/verify`: what an auditor needs without an account: a page that verifies evidence files in the browser, the verifiers,
 * the public keys, and the format.
 */
export function verifyPages(app: FastifyInstance, services: RecognitionServices & { signer: CheckpointSigner }) {
  const schema = { hide: true }
  const preHandler = recognizeViewer(services)
  app.get('/verify', { schema, preHandler }, (request, reply) =>
    sendOpenPage(request, reply, { title: 'Verify evidence', body: renderPage(services.signer) }),
  )
  let format: Html | undefined
  app.get('/verify/format', { schema, preHandler }, async (request, reply) => {
    // Links to pages that the service does not serve become text.
    format ??= renderMarkdown(DOCUMENTS['docs/audit-format.md'], { links: /^(?:#|https:)/ })
    return sendOpenPage(request, reply, { title: 'Format of ledgers and evidence files', body: format })
  })
  for (const [name, type] of Object.entries(DOWNLOADS) as [keyof typeof DOWNLOADS, string][]) {
    app.get(`/verify/${name}`, { schema }, (_, reply) =>
      reply.header('content-disposition', `attachment; filename="${name}"`).type(type).send(DOCUMENTS[`docs/${name}`]),
    )
  }
}

/** The erasing types with the types whose data they may erase, and the latest version of each type, for the script. */
const ERASABLE = Object.fromEntries(
  ERASING_TYPES.map((erasing) => [
    erasing,
    (Object.keys(EVENT_TYPES) as EventType[]).filter((type) => mayErase(erasing, type)),
  ]),
)
const VERSIONS = Object.fromEntries(Object.entries(EVENT_TYPES).map(([type, { version }]) => [type, version]))

function renderPage({ encodedKeys: { current, retired } }: CheckpointSigner) {
  return html`<h1>Verify evidence</h1>
    <p>
      An evidence file proves that its events are in the ledger of a company, unchanged. You need no account to verify
      it, and it does not leave your browser.
    </p>
    <form
      id="evidence"
      data-erasable="${JSON.stringify(ERASABLE)}"
      data-versions="${JSON.stringify(VERSIONS)}"
      hidden
    >
      <div class="field">
        <label for="file">Evidence file</label>
        <input id="file" class="drop" type="file" accept=".zip" aria-describedby="file-hint" />
        <p class="hint" id="file-hint">Choose the zip, or drop it here.</p>
      </div>
    </form>
    <div id="verdict"></div>
    <script src="${assetUrl('verify-evidence.js')}" type="module"></script>
    <h2>Without a browser</h2>
    <p>
      Download <a href="/verify/verify_ledger.py" download>verify_ledger.py</a>, which needs only Python, or
      <a href="/verify/verify_ledger.go" download>verify_ledger.go</a>, which needs packages of Go's checksum database.
      Both also verify exports of whole ledgers.
    </p>
    <pre>python3 verify_ledger.py evidence.zip</pre>
    <p>
      The <code>verify.py</code> in an evidence file is the same program. If you don't trust who gave you the file, use
      this one. <a href="/verify/format">The format</a> is documented, so that you can also write your own.
    </p>
    <h2>Public keys of this service</h2>
    <p>
      The key of an evidence file is in its <code>key.txt</code>: the ids of the company and the key, and one of these
      after the last <code>+</code>. Note them down while you trust the service.
    </p>
    <ul id="keys">
      ${current === null && html`<li>This service does not sign checkpoints: no signing key is set.</li>`}
      ${current !== null && html`<li>${renderCode(current)}, current</li>`}
      ${retired.map((key) => html`<li>${renderCode(key)}, retired</li>`)}
    </ul>
    <h2>Checkpoints</h2>
    <p>
      The latest checkpoint of a company, and its verifier keys, are for its auditors, on the page
      <a href="${NAVIGATION.ledger.path}">${NAVIGATION.ledger.label}</a>, from <code>GET /audit/v1/checkpoint</code> and
      <code>GET /audit/v1/keys</code>. With an earlier checkpoint, you notice if the ledger was written again.
    </p>`
}
