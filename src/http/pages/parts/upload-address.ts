import { NAVIGATION } from './navigation.ts'

/** The page that uploads a file. */
export const UPLOAD_PATH = `${NAVIGATION.bulkUserLogs.path}/upload`

/** The address of the page that corrects a failed entry. */
export function buildUploadUrl(logId: string): string {
  return `${UPLOAD_PATH}?log=${logId}`
}
