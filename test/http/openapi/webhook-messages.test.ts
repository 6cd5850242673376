import t from 'tap'
import { currentDocument } from '../../../docs/openapi/current-document.ts'
import type { RecordedEvent } from '../../../src/domain/events.ts'
import { PING_TYPE, WEBHOOK_TYPES } from '../../../src/domain/webhook-types.ts'
import { describeEvent, listEventTypes } from '../../../src/domain/webhooks/webhook-message.ts'
import { FROZEN, readFrozen } from '../../support/ledger/frozen-ledger.ts'
import { compileIn, schemasOf } from '../../support/http/api-document.ts'

interface DescribedMessage {
  parameters: { $ref: string }[]
  requestBody: { content: { 'application/json': { schema: object; examples: Record<string, { value: Message }> } } }
  responses: Record<string, object>
}
interface Message {
  type: string
  data: Record<string, unknown>
}

const document = await currentDocument()
const messages = document.webhooks as Record<string, { post: DescribedMessage }>
const ajv = schemasOf(document)

await t.test('every type of message is described', async (t) => {
  t.strictSame(Object.keys(messages).toSorted(), [...WEBHOOK_TYPES, PING_TYPE].toSorted())
})

for (const [type, { post }] of Object.entries(messages)) {
  await t.test(`${type} has headers, answers, and examples that fit its schema`, async (t) => {
    const headers = post.parameters.map(({ $ref }) => $ref.split('/').at(-1))
    t.strictSame(headers, ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
    t.strictSame(Object.keys(post.responses).toSorted(), ['2XX', '410'])
    const { schema, examples } = post.requestBody.content['application/json']
    const fits = compileIn(ajv, schema)
    for (const { value } of Object.values(examples)) {
      t.ok(fits(value), JSON.stringify(fits.errors))
      t.equal(value.type, type)
      t.notOk(fits({ ...value, data: { ...value.data, salary: 1 } }), 'an undocumented field is detected')
      t.notOk(fits({ ...value, type: 'employee.hired' }))
      if (type !== PING_TYPE) t.ok(fits({ ...value, data: { ...value.data, erased: true } }))
    }
  })
}

await t.test('the messages about the recorded ledgers fit the document, with and without data', async (t) => {
  const told = new Set<string>(listEventTypes(WEBHOOK_TYPES))
  const seen = new Set<string>()
  const lines = FROZEN.flatMap((version) => readFrozen(version).lines)
  for (const { envelope, data } of lines.map((line) => JSON.parse(line) as { envelope: string; data: string | null })) {
    const event = { ...JSON.parse(envelope), data: data === null ? null : JSON.parse(data) } as RecordedEvent
    if (!told.has(event.type)) continue
    for (const includeData of [false, true]) {
      const message = describeEvent(event, includeData)
      const fits = compileIn(ajv, messages[message.type]!.post.requestBody.content['application/json'].schema)
      t.ok(fits(message), `${JSON.stringify(message)}: ${JSON.stringify(fits.errors)}`)
      seen.add(message.type)
    }
  }
  t.strictSame([...seen].toSorted(), [...WEBHOOK_TYPES].toSorted())
})
