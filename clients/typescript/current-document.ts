import { pino } from 'pino'
import { ConfigSchema } from '../../src/config.ts'
import type { AppServices } from '../../src/http/app.ts'
import { buildApp } from '../../src/http/app.ts'
import type { OpenApiDocument } from '../../src/http/openapi/build-document.ts'

/**
 * The document of the API as the routes describe it now, with the default settings. Nothing is served: the routes are
 * registered, and no service behind them is ever called.
 */
export async function currentDocument(): Promise<OpenApiDocument> {
  const services = {
    commands: { maxRecords: ConfigSchema.properties.MAX_RECORDS.default },
    log: pino({ level: 'silent' }),
    bodyLimit: ConfigSchema.properties.BODY_LIMIT.default,
    bodyBudget: { bytes: 0, waitMs: 0 },
    requestTimeoutMs: ConfigSchema.properties.REQUEST_TIMEOUT_MS.default,
    burstLimit: 0,
    failureLimit: 0,
    streamLimits: {},
    signInLimits: { perPerson: 0, perAddress: 0 },
  } as unknown as AppServices
  const app = buildApp(services)
  await app.ready()
  const document = JSON.parse(JSON.stringify(app.describeApi())) as OpenApiDocument
  await app.close()
  return document
}
