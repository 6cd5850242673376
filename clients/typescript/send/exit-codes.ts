/** The exit codes of the command, apart from those of signals. */
export const EXIT_CODES = {
  /** The file or its records were refused. */
  refused: 1,
  /** Wrong usage or settings, or a key that must not do this. */
  usage: 2,
  /** The service did not answer, or has no room: the same command goes on later. */
  unfinished: 3,
} as const

/** An error whose message is all that the user needs. */
export class CommandError extends Error {
  override name = 'CommandError'
  readonly exitCode: number

  constructor(reason: keyof typeof EXIT_CODES, message: string, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = EXIT_CODES[reason]
  }
}

/** The error of a wrong use of the command. */
export function usageError(message: string): CommandError {
  return new CommandError('usage', message)
}
