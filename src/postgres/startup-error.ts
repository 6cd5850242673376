/** The program cannot start, for a reason that the user can fix. The message is one line for the user. */
export class StartupError extends Error {}
