import { Option, type Command } from 'commander'
import { ATTRIBUTE_NAMES } from '#domain/attributes'
import {
  DEFAULT_QUOTA_LIMIT,
  DEFAULT_REFRESH_PERIOD,
  REFRESH_PERIODS,
  KEY_SCOPES,
  PROVIDER_QUOTA_LIMIT,
} from '#domain/accounts/api-key'
import { DEFAULT_OVERLAP_SECONDS, MAX_QUOTA, MAX_OVERLAP_SECONDS, FULL_ACCESS } from '#domain/accounts/key-lifecycle'
import {
  companyCommandsIn,
  idOption,
  parseNetwork,
  parseText,
  parseTimeOrNever,
  parseWholeNumber,
} from '../terminal/options.ts'

const keyOption = () => idOption('key', 'key', 'the id of the API key')
const period = () => new Option('--refresh-period <period>', 'when the quota resets').choices(REFRESH_PERIODS)

const scopes = () => new Option('--scope <scope...>', 'what calls with the key may do').choices(KEY_SCOPES)
const expiry = () => new Option('--expires-at <time>', 'when the key ends, or never').argParser(parseTimeOrNever)
const networks = () =>
  new Option('--network <cidr...>', 'networks or addresses from which the key may be used, or any').argParser(
    parseNetwork,
  )

const writable = () =>
  new Option('--writable-field <field...>', 'fields of employees that calls may write, or all').choices([
    ...ATTRIBUTE_NAMES,
    'all',
  ])

/** Adds `key …`. */
export function addKeyCommands(program: Command) {
  const key = companyCommandsIn(program.command('key').description('API keys of a company'), () => import('./key.ts'))
  key('issue', 'issue an API key; shows its secret once', 'issueKey')
    .requiredOption('--name <name>', 'the name of the key', parseText(120))
    .option(
      '--quota-limit <n>',
      `requests in each period (default: ${DEFAULT_QUOTA_LIMIT}, or ${PROVIDER_QUOTA_LIMIT} with the scope scim)`,
      parseWholeNumber(MAX_QUOTA),
    )
    .addOption(period().default(DEFAULT_REFRESH_PERIOD))
    .addOption(scopes().default([...FULL_ACCESS.scopes], FULL_ACCESS.scopes.join(' ')))
    .addOption(expiry())
    .addOption(networks())
    .addOption(writable())
  key('list', 'list the API keys, newest first', 'listKeys')
  key('edit', 'rename an API key, or change its quota or access; keeps what you leave out', 'editKey')
    .addOption(keyOption())
    .option('--name <name>', 'the name of the key', parseText(120))
    .option('--quota-limit <n>', 'requests in each period', parseWholeNumber(MAX_QUOTA))
    .addOption(period())
    .addOption(scopes())
    .addOption(expiry())
    .addOption(networks())
    .addOption(writable())
  key('rotate', 'give an API key a new secret and show it once; the old one keeps working for a while', 'rotateKey')
    .addOption(keyOption())
    .option(
      '--overlap <seconds>',
      'how long the old secret keeps working',
      parseWholeNumber(MAX_OVERLAP_SECONDS),
      DEFAULT_OVERLAP_SECONDS,
    )
  key('disable', 'refuse the calls of an API key until it is enabled again', 'disableKey').addOption(keyOption())
  key('enable', 'accept the calls of a disabled API key again', 'enableKey').addOption(keyOption())
  key('revoke', 'revoke an API key permanently', 'revokeKey').addOption(keyOption())
}
