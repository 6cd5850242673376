import type { Config } from '../config.ts'
import { errorReason, StartupError } from './startup-error.ts'

/** A StartupError for a port that cannot be listened on, which names the setting to change. */
export function makeListenError(error: unknown, setting: 'PORT' | 'METRICS_PORT', config: Config): StartupError {
  const { code } = error as NodeJS.ErrnoException
  const hostSetting = setting === 'PORT' ? 'HOST' : 'METRICS_HOST'
  const [port, host] = [config[setting], config[hostSetting]]
  if (code === 'EADDRINUSE' && config.PORT === config.METRICS_PORT)
    return new StartupError(`port ${port} of ${host} is in use: set PORT and METRICS_PORT to different ports`)
  if (code === 'EADDRINUSE') return new StartupError(`port ${port} of ${host} is in use: set ${setting} to another one`)
  if (code === 'EACCES')
    return new StartupError(`port ${port} of ${host} may not be used by this user: set ${setting} to another one`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new StartupError(`${host} is not an address of this machine: set ${hostSetting}`)
  return new StartupError(`cannot listen on port ${port} of ${host}: ${errorReason(error)}`, { cause: error })
}
