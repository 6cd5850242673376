import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { startService } from '../../support/service.ts'
import { connectProvider } from '../../support/scim-client.ts'

/* Requests as identity providers send them, in the order in which they do, each with the answer that they need. */

interface RecordedCall {
  send: string
  headers?: Record<string, string>
  body?: unknown
  status: number
  /** What the answer has at least. `{user}` stands for the id of the last user who was created. */
  answer?: object
  /** The members that the answer must not have. */
  lacks?: string[]
  /** A name for the id of the user in the answer, instead of `user`. */
  as?: string
  /** Whether a creation brings the user back. */
  isSame?: true
}

const FOLDER = new URL('../../fixtures/scim/', import.meta.url)
const service = await startService(t)
const idp = await connectProvider(service, 'Provider')

for (const file of readdirSync(FOLDER)) {
  const scenarios = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as { does: string; calls: RecordedCall[] }[]
  for (const { does, calls } of scenarios)
    await t.test(`${file}: ${does}`, async (t) => {
      const ids = new Map<string, string>()
      const fill = <Value>(value: Value) =>
        JSON.parse(JSON.stringify(value).replaceAll(/\{(\w+)\}/g, (all, name: string) => ids.get(name) ?? all)) as Value
      for (const call of calls) {
        const [method = '', path = ''] = fill(call.send).split(/ (.*)/s)
        await service.project()
        const body = call.body === undefined ? undefined : fill(call.body)
        const { status, body: answer } = await idp.ask(method as 'GET', encodeURI(decodeURI(path)), body, call.headers)
        t.equal(status, call.status, call.send)
        if (call.answer) t.match(answer, fill(call.answer), call.send)
        for (const name of call.lacks ?? []) t.notOk(Object.hasOwn(answer, name), `${call.send} shows no ${name}`)
        if (method === 'POST' && status === 201 && !call.isSame) ids.set(call.as ?? 'user', answer.id)
        if (status < 300 && method !== 'GET' && method !== 'DELETE')
          t.strictSame((await idp.get(answer.id)).body, answer, 'GET shows what was answered')
      }
    })
}
