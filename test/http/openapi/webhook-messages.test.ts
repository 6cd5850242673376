import t from 'tap'
import { currentDocument } from '../../../clients/openapi/current-document.ts'
import { PING_TYPE, WEBHOOK_TYPES } from '../../../src/domain/webhook-types.ts'
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
