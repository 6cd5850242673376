import { createConfig, lintFromString } from '@redocly/openapi-core'
import t from 'tap'
import { currentDocument } from '../../../clients/openapi/current-document.ts'

/** Rules that this document breaks, each with its reason. There is none. */
const EXCEPTIONS: Record<string, 'off'> = {}

const source = JSON.stringify(await currentDocument(), null, 2)

async function lint(text: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'], rules: EXCEPTIONS })
  const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config })
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)
}

await t.test("the document passes Redocly's recommended rules, including warnings", async (t) => {
  t.strictSame(await lint(source), [])
})

await t.test('the rules are on: a violation is found', async (t) => {
  t.match(await lint(source.replace('"operationId": "createEmployees"', '"operationId": "listEmployees"')), [
    /operation-operationId-unique/,
  ])
  t.match(await lint(source.replace('"license"', '"x-license"')), [/info-license/])
  t.match(await lint(source.replace('#/components/schemas/LogId', '#/components/schemas/Nothing')), [
    /no-unresolved-refs/,
  ])
})
