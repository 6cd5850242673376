export { up } from '../../../migrations/0020-record-digests.ts'
