/** The program cannot start, and the user can do something about it: the message is one clear line for them. */
export class StartupError extends Error {}
