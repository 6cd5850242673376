import { pino } from 'pino'
import { ConfigSchema, LIMITS } from '../../src/config.ts'
import type { AppServices } from '../../src/app.ts'
import { buildApp } from '../../src/app.ts'
import type { OpenApiDocument } from '../../src/http/openapi/build-document.ts'
import { createSecretBox } from '../../src/accounts/secrets/secret-box.ts'

/**
 * Builds the OpenAPI document from the current routes with the default settings. The services are stubs, because
 * building the document does not call them.
 */
export async function currentDocument(): Promise<OpenApiDocument> {
  const secrets = createSecretBox([])
  const services = {
    commands: { maxRecords: ConfigSchema.properties.MAX_RECORDS.default },
    log: pino({ level: 'silent' }),
    bodyLimit: ConfigSchema.properties.BODY_LIMIT.default,
    bodyBudget: { bytes: 0, waitMs: 0 },
    requestTimeoutMs: LIMITS.REQUEST_TIMEOUT_MS,
    burstLimit: 0,
    failureLimit: 0,
    readLimits: { atOnce: 1, heavyAtOnce: LIMITS.HEAVY_READS },
    streamLimits: {},
    signInLimits: { perPerson: 0, perAddress: 0 },
    sessions: { publicUrl: null },
    webhooks: { secrets },
    providers: { secrets },
    uploads: { bodyLimit: ConfigSchema.properties.BODY_LIMIT.default, commands: {} },
  } as unknown as AppServices
  const app = buildApp(services)
  await app.ready()
  const document = JSON.parse(JSON.stringify(app.describeApi())) as OpenApiDocument
  await app.close()
  return document
}
