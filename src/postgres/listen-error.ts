import { errorReason, StartupError } from './startup-error.ts'

/** A StartupError for a port that cannot be listened on, which names the setting to change. */
export function makeListenError(
  error: unknown,
  setting: 'PORT' | 'METRICS_PORT',
  port: number,
  host: string,
): StartupError {
  const { code } = error as NodeJS.ErrnoException
  const hostSetting = setting.replace('PORT', 'HOST')
  if (code === 'EADDRINUSE') return new StartupError(`port ${port} of ${host} is in use: set ${setting} to another one`)
  if (code === 'EACCES')
    return new StartupError(`port ${port} of ${host} may not be used by this user: set ${setting} to another one`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new StartupError(`${host} is not an address of this machine: set ${hostSetting}`)
  return new StartupError(`cannot listen on port ${port} of ${host}: ${errorReason(error)}`, { cause: error })
}
