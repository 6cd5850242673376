import { Option, type Command } from 'commander'
import { DEFAULT_OVERLAP_SECONDS, MAX_OVERLAP_SECONDS } from '#domain/accounts/key-lifecycle'
import { DEFAULT_CONCURRENCY, MAX_CONCURRENCY, MAX_DESCRIPTION, MAX_URL } from '#domain/webhooks/webhook-lifecycle'
import { WEBHOOK_TYPES } from '#domain/webhook-types'
import { companyCommandsIn, idOption, parseText, parseTime, parseWholeNumber } from '../terminal/options.ts'

const webhookOption = () => idOption('webhook', 'whk', 'the id of the webhook')

/** Adds `webhook …`. */
export function addWebhookCommands(program: Command) {
  const webhook = companyCommandsIn(
    program.command('webhook').description('webhooks of a company'),
    () => import('./webhook.ts'),
  )
  webhook('create', 'create a webhook; shows its secret once', 'addWebhook')
    .requiredOption('--url <url>', 'where messages are sent', parseText(MAX_URL))
    .option('--description <text>', 'what the webhook is for', parseText(MAX_DESCRIPTION), '')
    .addOption(new Option('--types <type...>', 'the types of the messages; default: all').choices(WEBHOOK_TYPES))
    .option('--include-data', 'messages contain values, too', false)
    .option(
      '--concurrency <n>',
      'how many messages may be under way at once',
      parseWholeNumber(MAX_CONCURRENCY, 1),
      DEFAULT_CONCURRENCY,
    )
  webhook('list', 'list the webhooks, oldest first', 'showWebhooks')
  webhook('show', 'show a webhook and its progress', 'showWebhook').addOption(webhookOption())
  webhook('pause', 'pause deliveries until the webhook is resumed', 'pauseWebhook').addOption(webhookOption())
  webhook('resume', 'resume deliveries, or send messages again from an earlier point', 'resumeWebhook')
    .addOption(webhookOption())
    .option('--after <position>', 'send the events after this position', parseWholeNumber(Number.MAX_SAFE_INTEGER))
    .addOption(
      new Option('--since <time>', 'send the events recorded at or after this time')
        .argParser(parseTime)
        .conflicts('after'),
    )
  webhook(
    'rotate',
    'give a webhook a new secret and show it once; messages are signed with both for a while',
    'rotateWebhook',
  )
    .addOption(webhookOption())
    .option(
      '--overlap <seconds>',
      'how long messages are signed with the old secret as well',
      parseWholeNumber(MAX_OVERLAP_SECONDS),
      DEFAULT_OVERLAP_SECONDS,
    )
  webhook('remove', 'remove a webhook permanently', 'removeWebhook').addOption(webhookOption())
}
