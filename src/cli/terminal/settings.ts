import { EnvironmentSchema, forgetDatabaseVariables, PATTERN_RULES, readConfig, type Config } from '../../config.ts'
import { readMailServer } from '#delivery/mail/mail-server'
import { StartupError } from '#postgres/startup-error'

/** Reads the settings. Throws a StartupError that names the invalid ones. */
export function readSettings(): Config {
  try {
    const config = readConfig()
    if (config.MIGRATE_DATABASE_URL !== undefined && config.DATABASE_URL === undefined) {
      throw new StartupError('MIGRATE_DATABASE_URL requires DATABASE_URL')
    }
    for (const name of ['OTEL_EXPORTER_OTLP_ENDPOINT', 'PUBLIC_URL'] as const)
      if (!URL.canParse(config[name] ?? 'http://unset')) throw new StartupError(`${name} is not a valid URL`)
    for (const name of ['DATABASE_URL', 'MIGRATE_DATABASE_URL'] as const) assertAddress(name, config[name])
    readMailServer(config)
    if (config.DATABASE_URL === undefined) forgetDatabaseVariables()
    return config
  } catch (error) {
    const names = invalidSettings(error)
    if (names.length === 0) throw error
    throw new StartupError(names.map((name) => `${name} must ${describeRule(name)}`).join('; '), { cause: error })
  }
}

const HOST = String.raw`(?:\[[^\]]*\]|(?!\[)[^:/?#@,]*)(?::\d+)?`
const DATABASE = new RegExp(
  String.raw`^\w+://(?:[^/?#]*@)?${HOST}(?<others>(?:,${HOST})*)(?:/[^@?#]*)?(?:\?(?:[\w.-]+=[^#&]*(?:&|$))*)?$`,
)

/** node-postgres connects to one host, and would take a part of a password for it. */
function assertAddress(name: 'DATABASE_URL' | 'MIGRATE_DATABASE_URL', url = '') {
  if (url === '') return
  const { others } = DATABASE.exec(url)?.groups ?? {}
  if (others === undefined)
    throw new StartupError(
      `${name} must be postgres://USER:PASSWORD@HOST:PORT/NAME; in USER and PASSWORD, write / as %2F, ? as %3F, ` +
        'and # as %23',
    )
  if (others !== '' || /[?&]host=[^&]*,/.test(url))
    throw new StartupError(`${name} must name one host, such as a proxy that leads to the primary`)
}

type Setting = keyof typeof EnvironmentSchema.properties

/** The settings that a validation error names, each once. */
function invalidSettings(error: unknown): Setting[] {
  const { errors = [] } = error as { errors?: { instancePath: string }[] }
  const names = errors.map(({ instancePath }) => instancePath.slice(1))
  return [...new Set(names)].filter((name): name is Setting => Object.hasOwn(EnvironmentSchema.properties, name))
}

interface Rule {
  type?: string
  anyOf?: { const: string }[]
  pattern?: string
  minimum?: number
  maximum?: number
}

function describeRule(name: Setting) {
  const { type, anyOf, pattern, minimum, maximum } = EnvironmentSchema.properties[name] as Rule
  if (anyOf) return `be one of ${anyOf.map((choice) => choice.const).join(', ')}`
  if (pattern !== undefined) return PATTERN_RULES[pattern] ?? `match ${pattern}`
  if (type === 'number') return `be a number from ${minimum} to ${maximum}`
  const range = maximum === undefined ? `, ${minimum} or more` : ` from ${minimum} to ${maximum}`
  return `be a whole number${range}`
}
