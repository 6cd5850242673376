import { Argument, InvalidArgumentError, Option, type Command } from 'commander'
import { ROLES } from '#domain/accounts/roles'
import { CLIENT_AUTHS, PROVIDER_USES, type ProviderSettings } from '#domain/provider-settings'
import { companyCommandsIn, parseId } from '../terminal/options.ts'

const authOption = () => new Option('--client-auth <how>', 'how the service authenticates').choices(CLIENT_AUTHS)

const secretOption = () => new Option('--secret-file <file>', 'the file with the client secret; - for standard input')

/** Adds `provider …`. */
export function addProviderCommands(program: Command) {
  const provider = companyCommandsIn(
    program.command('provider').description('the identity provider of a company'),
    () => import('./provider.ts'),
  )
  provider(
    'set',
    'set up the identity provider, switched off, or change its settings; keeps what you leave out',
    'setProvider',
  )
    .option('--name <name>', 'what the sign-in page calls it')
    .option('--issuer <url>', 'the issuer, exactly as the provider writes it')
    .option('--client-id <id>', 'the id of this service at the provider')
    .addOption(authOption())
    .addOption(secretOption())
    .addOption(
      new Option('--creates-users <answer>', 'whether people become users by signing in').choices(['yes', 'no']),
    )
    .option('--role-claim <claim>', 'the claim that decides about roles')
    .option('--no-role-claim', 'roles are changed only here')
    .option('--role <value=role...>', 'the roles of the values of that claim', parseRole)
  provider('show', 'show the identity provider, and the addresses to register there', 'showProvider')
  provider('check', 'show what the identity provider publishes, without signing in', 'checkProvider')
  provider('use', 'switch the identity provider on or off; off opens a company whose provider fails', 'useProvider')
    .addArgument(new Argument('<use>', 'beside passwords, instead of them, or not at all').choices(PROVIDER_USES))
    .addOption(
      new Option('--break-glass <id>', 'with required: the administrator who keeps a password').argParser(
        parseId('usr'),
      ),
    )
  provider(
    'replace-secret',
    'replace the client secret, or make a new key pair; the present one stops at once',
    'replaceSecret',
  )
    .addOption(authOption())
    .addOption(secretOption())
  provider('remove', 'remove the identity provider; one that is required must be turned off first', 'removeProvider')
}

/** Parses one of several roles of values, and adds it to those before it. The value may contain an equals sign. */
function parseRole(text: string, before: ProviderSettings['roles'] = []): ProviderSettings['roles'] {
  const end = text.lastIndexOf('=')
  const role = ROLES.find((one) => one === text.slice(end + 1))
  if (end > 0 && role) return [...before, { value: text.slice(0, end), role }]
  throw new InvalidArgumentError(`It must be a value, =, and one of ${ROLES.join(', ')}, such as ledger-admins=admin.`)
}
