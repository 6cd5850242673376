import { createConfig, lintFromString } from '@redocly/openapi-core'
import t from 'tap'
import { currentDocument } from '../../../docs/openapi/current-document.ts'

/**
 * The rules of Spectral's `spectral:oas` that Redocly has but does not recommend. Spectral itself would add 147 packages
 * to the installation. There is no exception from any rule.
 */
const MORE_RULES = {
  'info-contact': 'error',
  'operation-description': 'error',
  'parameter-description': 'error',
  'tag-description': 'error',
  'operation-operationId': 'error',
  'path-not-include-query': 'error',
  'no-invalid-schema-examples': 'error',
  'no-invalid-parameter-examples': 'error',
  'no-required-schema-properties-undefined': 'error',
  'no-schema-type-mismatch': 'error',
} as const

const source = JSON.stringify(await currentDocument(), null, 2)

async function lint(text: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'], rules: MORE_RULES })
  const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config })
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)
}

await t.test('the document passes the rules of Redocly and of Spectral, including warnings', async (t) => {
  t.strictSame(await lint(source), [])
})

await t.test('the rules are on: a violation is found', async (t) => {
  t.match(await lint(source.replace('"operationId": "createEmployees"', '"operationId": "listEmployees"')), [
    /operation-operationId-unique/,
  ])
  t.match(await lint(source.replace('"license"', '"x-license"')), [/info-license/])
  t.match(await lint(source.replace(/"description": "Always current\.[^"]+",/, '')), [/operation-description/])
  t.match(await lint(source.replace('#/components/schemas/LogId', '#/components/schemas/Nothing')), [
    /no-unresolved-refs/,
  ])
})
