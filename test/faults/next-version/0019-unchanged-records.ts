export { up } from '../../../migrations/0019-unchanged-records.ts'
